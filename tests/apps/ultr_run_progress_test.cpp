#include <cstdlib>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/run_fixture.h"
#include "testing/terminal.h"

namespace ultr::ultr_run_progress_test {
namespace {

using ::testing::HasSubstr;

/// Work that takes long on large data shows its progress on a terminal.
class UltrRunProgressTest : public testing::UltrRun {
 protected:
  UltrRunProgressTest() {
    folder_.write("simulation.yaml",
                  "name: shop\n"
                  "data: {format: simulation, sessions: 500, valid_sessions: 0, test_sessions: 0, "
                  "queries: 5, positions: 5}\n"
                  "model: pbm\ntrain: {epochs: 1}\nreport: {enabled: false}\n");
    folder_.write("shop.yaml",
                  "data: {format: table, train: table/train.csv}\n"
                  "model: pbm\ntrain: {epochs: 1}\nreport: {enabled: false}\n");
    run_well({"simulate", "simulation.yaml", "--format", "table", "--output", "table"});
  }

  /// Runs ultr-run with its standard error on a terminal, and returns what it shows there.
  std::string shown(const std::string& arguments) const {
    return testing::shown_on_terminal([&](std::FILE* terminal) {
      const std::string command =
          fmt::format("cd '{}' && '{}' {} 2>'{}' >/dev/null", folder_.path().string(), ULTR_RUN,
                      arguments, ttyname(fileno(terminal)));
      EXPECT_EQ(std::system(command.c_str()), 0) << command;
    });
  }
};

TEST_F(UltrRunProgressTest, OfSimulating) {
  EXPECT_THAT(shown("simulate simulation.yaml --format table --output a"),
              ::testing::ContainsRegex("shop \\[#+"));
  EXPECT_THAT(shown("simulate simulation.yaml --output b"), ::testing::ContainsRegex("shop \\[#+"));
  EXPECT_THAT(shown("simulation.yaml output=c"), HasSubstr("simulating ["));
}

TEST_F(UltrRunProgressTest, OfConverting) {
  EXPECT_THAT(shown("convert table table/train.csv --output a"),
              ::testing::ContainsRegex("table \\[#+\\.*\\] +[0-9]+%.* left"));
}

TEST_F(UltrRunProgressTest, OfReading) {
  EXPECT_THAT(shown("shop.yaml output=a"), HasSubstr("reading ["));
}

TEST_F(UltrRunProgressTest, OfResamplingForRelevance) {
  run_well({"shop.yaml", "output=run"});
  EXPECT_THAT(shown("relevance run --output relevance.csv --bootstrap 3"),
              HasSubstr("bootstrap ["));
}

}  // namespace
}  // namespace ultr::ultr_run_progress_test
