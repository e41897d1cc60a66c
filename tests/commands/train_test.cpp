#include "commands/train.h"

#include <new>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/exit_code.h"
#include "base/stop_signals.h"
#include "commands/built_in_registry.h"
#include "commands/listings.h"
#include "optim/schedule.h"
#include "options/config_tree.h"

namespace ultr::experiment_test {
namespace {

using ::testing::HasSubstr;

TEST(ExitCodeTest, SaysWhoseFaultItWas) {
  EXPECT_EQ(with_exit_code([] { return 0; }), 0);
  EXPECT_EQ(with_exit_code([] { return 7; }), 7);
  EXPECT_EQ(with_exit_code([]() -> int { throw ConfigError("a test"); }), 2);
  EXPECT_EQ(with_exit_code([]() -> int { throw DataError("a test"); }), 3);
  EXPECT_EQ(with_exit_code([]() -> int { throw Error("a test"); }), 1);
  EXPECT_EQ(with_exit_code([]() -> int { throw std::bad_alloc(); }), 1);
  EXPECT_EQ(with_exit_code([]() -> int { throw Interrupted(SIGINT, "run"); }), 128 + SIGINT);
}

TEST(ListComponentsTest, NamesEveryEntryOfEveryTable) {
  const Registry registry = built_in_registry();
  const std::string list = list_components(registry);
  for (const auto* table : {&registry.models(), &registry.layers(), &registry.optimizers(),
                            &schedule_types(), &registry.data(), &registry.analyses()})
    for (const OptionType& type : *table)
      EXPECT_THAT(list, HasSubstr("\n  " + type.name + ": " + type.help + "\n"));
}

TEST(ListOptionsTest, NamesEverySectionOfAConfiguration) {
  const std::string list = "\n" + list_options(built_in_registry());
  for (const char* key : {"name", "seed", "threads", "output", "plugins", "data", "model",
                          "optimizer", "train", "checkpoint", "evaluate", "report"})
    EXPECT_THAT(list, HasSubstr("\n" + std::string(key))) << key;
  EXPECT_THAT(list, HasSubstr("\n  early_stopping"));
}

}  // namespace
}  // namespace ultr::experiment_test
