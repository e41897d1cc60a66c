#include "optim/schedule.h"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

namespace ultr::schedule_test {
namespace {

TEST(ConstantScheduleTest, IsOneAlways) {
  const ConstantSchedule schedule;
  for (const std::int64_t step : {0, 1, 500, 1000, 5000}) EXPECT_EQ(schedule.factor(step, 1000), 1);
}

TEST(CosineScheduleTest, GoesFromOneToTheFloorAlongHalfACosine) {
  CosineSchedule schedule;
  for (const double floor : {0.0, 0.2, 1.0}) {
    schedule.floor = floor;
    EXPECT_EQ(schedule.factor(0, 1000), 1);
    EXPECT_NEAR(schedule.factor(500, 1000), floor + (1 - floor) / 2, 1e-15);
    for (const std::int64_t step : {1, 250, 333, 999})
      EXPECT_NEAR(schedule.factor(step, 1000),
                  floor + (1 - floor) *
                              (1 + std::cos(std::numbers::pi * static_cast<double>(step) / 1000)) /
                              2,
                  1e-15);
    EXPECT_NEAR(schedule.factor(1000, 1000), floor, 1e-15);
    EXPECT_NEAR(schedule.factor(3000, 1000), floor, 1e-15) << "stays at the floor";
  }
}

TEST(CosineScheduleTest, NeverRises) {
  CosineSchedule schedule;
  schedule.floor = 0.1;
  for (std::int64_t step = 1; step < 1200; ++step)
    EXPECT_LE(schedule.factor(step, 1000), schedule.factor(step - 1, 1000)) << step;
}

TEST(CosineScheduleTest, TheWarmupIsNotPartOfTheCosine) {
  CosineSchedule schedule;
  schedule.warmup = 200;
  EXPECT_EQ(schedule.factor(200, 1000), 1);
  EXPECT_NEAR(schedule.factor(600, 1000), 0.5, 1e-15);
  EXPECT_NEAR(schedule.factor(1000, 1000), 0, 1e-15);
}

TEST(StepScheduleTest, FallsByTheFactorEverySoManySteps) {
  StepSchedule schedule;
  schedule.decay = 0.3;
  schedule.every = 10;
  EXPECT_EQ(schedule.factor(0, 100), 1);
  EXPECT_EQ(schedule.factor(9, 100), 1);
  EXPECT_NEAR(schedule.factor(10, 100), 0.3, 1e-15);
  EXPECT_NEAR(schedule.factor(19, 100), 0.3, 1e-15);
  EXPECT_NEAR(schedule.factor(35, 100), 0.3 * 0.3 * 0.3, 1e-15);
}

/// Tests of every registered schedule.
class EveryScheduleTest : public ::testing::TestWithParam<OptionType> {
 protected:
  ScheduleOptions& schedule() { return static_cast<ScheduleOptions&>(*options_); }
  std::unique_ptr<Options> options_ = GetParam().make();
};

TEST_P(EveryScheduleTest, StartsAtOneAndStaysAPositiveShare) {
  for (const std::int64_t total : {1, 2, 5000}) {
    EXPECT_EQ(schedule().factor(0, total), 1);
    for (std::int64_t step = 0; step < total; ++step) {
      EXPECT_GT(schedule().factor(step, total), 0);
      EXPECT_LE(schedule().factor(step, total), 1);
    }
  }
}

TEST_P(EveryScheduleTest, WarmupRisesLinearly) {
  schedule().warmup = 4;
  for (std::int64_t step = 0; step < 4; ++step)
    EXPECT_NEAR(schedule().factor(step, 100), static_cast<double>(step + 1) / 5, 1e-15);
  EXPECT_EQ(schedule().factor(4, 100), 1) << "warmup ends where the schedule starts";
}

TEST_P(EveryScheduleTest, AWarmupLongerThanTrainingIsFine) {
  schedule().warmup = 100;
  EXPECT_NEAR(schedule().factor(9, 10), 10.0 / 101, 1e-15);
}

INSTANTIATE_TEST_SUITE_P(Schedules, EveryScheduleTest, ::testing::ValuesIn(schedule_types()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace ultr::schedule_test
