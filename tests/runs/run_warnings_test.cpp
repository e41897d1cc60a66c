#include "runs/run_warnings.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/small_log.h"

namespace ultr::run_warnings_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::size_t ranks = 6;

/// Sessions of a position-based user, whose examination is 1/k.
SessionLog log_of(const std::string& lists = "candidates: 8, ranking_noise: 2") {
  return testing::simulate("{sessions: 20000, queries: 5, positions: 6, " + lists + "}")
      .dataset.train;
}

PositionBias truth() {
  PositionBias bias;
  for (std::size_t k = 1; k <= ranks; ++k) bias.by_rank.push_back(1 / static_cast<double>(k));
  return bias;
}

TrainableModel pbm() { return testing::build_model("pbm", {.rows = 41, .positions = 6}); }

TEST(RunWarningsTest, ExaminationThatClicksConfirmIsFine) {
  const auto check = check_examination(truth(), log_of(), 1, 2);
  ASSERT_TRUE(check);
  ASSERT_EQ(check->estimated.size(), ranks);
  for (std::size_t k = 1; k < ranks; ++k) {
    ASSERT_TRUE(check->intervals[k]);
    EXPECT_LE(check->intervals[k]->lower, 1 / static_cast<double>(k + 1)) << k;
    EXPECT_GE(check->intervals[k]->upper, 1 / static_cast<double>(k + 1)) << k;
  }
  EXPECT_FALSE(check->farthest_outside());
  EXPECT_THAT(run_warnings(pbm(), check), IsEmpty());
}

TEST(RunWarningsTest, ExaminationOutsideItsIntervalIsNamed) {
  PositionBias learned = truth();
  learned.by_rank.back() *= 2.5;
  const auto check = check_examination(learned, log_of(), 1, 2);
  ASSERT_TRUE(check);
  EXPECT_EQ(check->farthest_outside(), ranks - 1);
  EXPECT_THAT(run_warnings(pbm(), check),
              ElementsAre(AllOf(HasSubstr("pbm: learned examination of rank 6 is 0.417 times that "
                                          "of rank 1, but clicks"),
                                HasSubstr("em with a tolerance"))));
}

/// Intervals of large logs are narrow: a difference that does not matter is none.
TEST(RunWarningsTest, SmallDifferencesAreNoWarning) {
  ExaminationCheck check{.learned = {1, 0.74},
                         .estimated = {1, 0.5},
                         .intervals = {ConfidenceInterval{1, 1}, ConfidenceInterval{0.49, 0.51}}};
  EXPECT_FALSE(check.farthest_outside());
  check.learned[1] = 0.76;
  EXPECT_EQ(check.farthest_outside(), 1u);
  check.intervals[1]->upper = 0.77;
  EXPECT_FALSE(check.farthest_outside());
}

TEST(RunWarningsTest, NothingIsCheckedWithoutAnEstimate) {
  EXPECT_FALSE(check_examination(std::nullopt, log_of(), 1, 1)) << "no position bias is learned";
  PositionBias additive = truth();
  additive.additive = true;
  EXPECT_FALSE(check_examination(additive, log_of(), 1, 1)) << "it is no factor";
  const SessionLog one_order = log_of("candidates: 6, ranking_noise: 0");
  EXPECT_FALSE(check_examination(truth(), one_order, 1, 1)) << "each pair has one rank";
}

TEST(RunWarningsTest, ThreadsDoNotChangeABit) {
  const SessionLog log = log_of();
  const auto one = check_examination(truth(), log, 3, 1),
             four = check_examination(truth(), log, 3, 4);
  EXPECT_EQ(one->estimated, four->estimated);
  for (std::size_t k = 0; k < ranks; ++k) {
    EXPECT_EQ(one->intervals[k]->lower, four->intervals[k]->lower);
    EXPECT_EQ(one->intervals[k]->upper, four->intervals[k]->upper);
  }
}

TEST(RunWarningsTest, ComponentsThatEndedTheSameAreNamed) {
  const TrainableModel mixture =
      testing::build_model("mixture", {.rows = 41, .positions = 6}, "{components: [pbm, pbm]}");
  EXPECT_THAT(run_warnings(mixture, {}), IsEmpty());
  for (Parameter* parameter : mixture.parameters()) parameter->fill(0.5f);
  EXPECT_THAT(run_warnings(mixture, {}),
              ElementsAre(HasSubstr("mixture: components pbm and pbm_2 ended the same")));
}

}  // namespace
}  // namespace ultr::run_warnings_test
