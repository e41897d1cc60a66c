#include "training/train_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/model_fixture.h"
#include "testing/errors.h"

namespace ultr::train_options_test {
namespace {

using Unit = CheckpointInterval::Unit;

CheckpointInterval interval_of(const std::string& every) {
  CheckpointOptions options;
  testing::configure(options, "every: " + every);
  return options.interval();
}

TEST(CheckpointOptionsTest, NoneAreWrittenByDefault) {
  EXPECT_EQ(CheckpointOptions().interval().unit, Unit::never);
  EXPECT_EQ(CheckpointOptions().keep, 2);
  EXPECT_EQ(interval_of("never").unit, Unit::never);
}

TEST(CheckpointOptionsTest, IntervalsAreTimesStepsOrEpochs) {
  struct Case {
    const char* every;
    Unit unit;
    double count;
  };
  for (const auto& [every, unit, count] : {
           Case{"30s", Unit::seconds, 30},
           {"5m", Unit::seconds, 5 * 60},
           {"2h", Unit::seconds, 2 * 3600},
           {"1.5 h", Unit::seconds, 1.5 * 3600},
           {"0.25s", Unit::seconds, 0.25},
           {"1 step", Unit::steps, 1},
           {"1000 steps", Unit::steps, 1000},
           {"1e6 steps", Unit::steps, 1e6},
           {"1 epoch", Unit::epochs, 1},
           {"3epochs", Unit::epochs, 3},
       }) {
    EXPECT_EQ(interval_of(every).unit, unit) << every;
    EXPECT_EQ(interval_of(every).count, count) << every;
  }
}

TEST(CheckpointOptionsTest, ErrorsDescribeAnInterval) {
  for (const char* every :
       {"5", "m", "5 parsecs", "0s", "-5m", "1.5 steps", "0 epochs", "nan s", "inf h", "1e999 h",
        "1e300 steps", "5m 30s", "'5 m '", "Never", "''", "1e30h5"})
    EXPECT_EQ(testing::config_message([&] { interval_of(every); }).substr(0, 20),
              "checkpoint.every is ")
        << every;
  EXPECT_EQ(testing::config_message([] { interval_of("5 parsecs"); }),
            "checkpoint.every is '5 parsecs'; expected a time such as 30s, 5m or 2h, a number of "
            "steps such as '1000 steps', a number of epochs such as '1 epoch', or never");
}

}  // namespace
}  // namespace ultr::train_options_test
