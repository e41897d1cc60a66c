#include "commands/train.h"

#include <new>

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/exit_code.h"
#include "base/stop_signals.h"

namespace ultr::experiment_test {
namespace {

TEST(ExitCodeTest, SaysWhoseFaultItWas) {
  EXPECT_EQ(with_exit_code([] { return 0; }), 0);
  EXPECT_EQ(with_exit_code([] { return 7; }), 7);
  EXPECT_EQ(with_exit_code([]() -> int { throw ConfigError("a test"); }), 2);
  EXPECT_EQ(with_exit_code([]() -> int { throw DataError("a test"); }), 3);
  EXPECT_EQ(with_exit_code([]() -> int { throw Error("a test"); }), 1);
  EXPECT_EQ(with_exit_code([]() -> int { throw std::bad_alloc(); }), 1);
  EXPECT_EQ(with_exit_code([]() -> int { throw Interrupted(SIGINT, "run"); }), 128 + SIGINT);
}

}  // namespace
}  // namespace ultr::experiment_test
