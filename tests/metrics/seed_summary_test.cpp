#include "metrics/seed_summary.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "testing/not_finite.h"

namespace ultr::seed_summary_test {
namespace {

TEST(SeedSummaryTest, HasMeanDeviationAndBootstrapInterval) {
  const SeedSummary summary = summarize_seeds({{"1", 2}, {"2", 4}, {"3", 9}});
  EXPECT_DOUBLE_EQ(summary.mean, 5);
  EXPECT_DOUBLE_EQ(summary.standard_deviation, std::sqrt((9. + 1 + 16) / 2));
  const std::vector<double> values = {2, 4, 9};
  const ConfidenceInterval expected = bootstrap_interval(values);
  ASSERT_TRUE(summary.interval);
  EXPECT_EQ(summary.interval->lower, expected.lower);
  EXPECT_EQ(summary.interval->upper, expected.upper);
}

TEST(SeedSummaryTest, FewOrNonFiniteValuesHaveNoInterval) {
  const SeedSummary none = summarize_seeds({});
  EXPECT_TRUE(std::isnan(none.mean));
  const SeedSummary one = summarize_seeds({{"1", 3}});
  EXPECT_EQ(one.mean, 3);
  EXPECT_TRUE(std::isnan(one.standard_deviation));
  EXPECT_FALSE(one.interval);
  EXPECT_FALSE(summarize_seeds({{"1", 3}, {"2", testing::infinity}}).interval);
}

TEST(SeedTestTest, PairsTheSeedsThatBothHave) {
  const SeedValues a = {{"1", 5}, {"2", 7}, {"3", 8}, {"5", std::nan("")}, {"6", 1}};
  const SeedValues b = {{"3", 4}, {"1", 3}, {"2", 4}, {"5", 1}, {"7", 1}};
  const std::optional<SeedTest> test = test_seeds(a, b);
  ASSERT_TRUE(test);
  EXPECT_EQ(test->pairs, 3u);
  const std::vector<double> of_a = {5, 7, 8}, of_b = {3, 4, 4}, differences = {2, 3, 4};
  EXPECT_EQ(test->t_test.p_value, paired_t_test(of_a, of_b).p_value);
  EXPECT_DOUBLE_EQ(test->t_test.mean_difference, 3);
  EXPECT_EQ(test->interval.lower, bootstrap_interval(differences).lower);
  EXPECT_DOUBLE_EQ(test->corrected(4), std::min(1., 4 * test->t_test.p_value));
  EXPECT_EQ(test->corrected(0), test->t_test.p_value) << "the test itself counts";
}

TEST(SeedTestTest, OnePairCannotBeTested) {
  EXPECT_FALSE(test_seeds({{"1", 5}, {"2", 7}}, {{"2", 4}, {"3", 4}}));
}

}  // namespace
}  // namespace ultr::seed_summary_test
