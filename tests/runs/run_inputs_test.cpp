#include "runs/run_inputs.h"

#include <cstdio>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "testing/small_log.h"
#include "testing/terminal.h"

namespace ultr::run_inputs_test {
namespace {

TEST(RunInputsTest, LoadingDataShowsProgressOnATerminal) {
  const Choice data(testing::registry().data(), "simulation", "format");
  const std::string shown = testing::shown_on_terminal([&](std::FILE* terminal) {
    std::fflush(stderr);
    const int before = dup(STDERR_FILENO);
    dup2(fileno(terminal), STDERR_FILENO);
    load_data(data.as<DataOptions>(), "quick", {});
    std::fflush(stderr);
    dup2(before, STDERR_FILENO);
    close(before);
  });
  EXPECT_THAT(shown, ::testing::ContainsRegex("simulating \\[[#.]+\\] .* sessions/s, .* left"));
  EXPECT_THAT(shown, ::testing::HasSubstr("\033[Kquick: ")) << "the bar is gone";
}

}  // namespace
}  // namespace ultr::run_inputs_test
