#include "optim/optim.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "optim/stepping_types.h"
#include "options/config_tree.h"
#include "options/read.h"

namespace ultr::optim_test {
namespace {

using ::testing::IsEmpty;
using ::testing::Not;

TEST(OptimTest, TheTablesHaveDistinctNamesWithHelp) {
  for (const auto* table : {&optimizer_types(), &schedule_types()}) {
    std::set<std::string> names;
    for (const OptionType& type : *table) {
      EXPECT_TRUE(names.insert(type.name).second) << type.name;
      EXPECT_THAT(type.help, Not(IsEmpty()));
    }
  }
}

TEST(OptimTest, EveryOptimizerTakesTheCommonOptions) {
  for (const OptionType& type : testing::stepping_types()) {
    const auto made = type.make();
    read_options(parse_config("{lr: 0.5, weight_decay: 0.25, clip_norm: 2, lazy: false, "
                              "schedule: {type: cosine, floor: 0.5}}",
                              "test"),
                 *made);
    const auto& options = static_cast<OptimizerOptions&>(*made);
    EXPECT_EQ(options.learning_rate, 0.5) << type.name;
    EXPECT_EQ(options.weight_decay, 0.25) << type.name;
    EXPECT_EQ(options.clip_norm, 2) << type.name;
    EXPECT_FALSE(options.lazy) << type.name;
    EXPECT_EQ(options.schedule.as<CosineSchedule>().floor, 0.5) << type.name;
    for (const std::string wrong : {"lr: 0", "lr: -1", "weight_decay: -1", "clip_norm: -1"})
      EXPECT_THROW(read_options(parse_config(wrong, "test"), *type.make()), ConfigError)
          << type.name << ", " << wrong;
  }
}

}  // namespace
}  // namespace ultr::optim_test
