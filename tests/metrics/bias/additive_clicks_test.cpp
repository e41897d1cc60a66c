#include "metrics/bias/additive_clicks.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "metrics/logged_clicks.h"

namespace ultr::additive_clicks_test {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;

PairPositionCounts counts_of(const std::vector<testing::LoggedClicks>& shown) {
  return PairPositionCounts(testing::log_of(shown));
}

double logit(double p) { return std::log(p / (1 - p)); }
double sigmoid_at(double x) { return 1 / (1 + std::exp(-x)); }

TEST(AdditiveClicksTest, FindsLogitsThatFitExactly) {
  // Two pairs at two ranks with odds 1 and 1/4 at rank 1, and a third of these odds at rank 2.
  const AdditiveClicks fit = fit_additive_clicks(
      counts_of({{1, 1, 300, 300}, {1, 2, 100, 300}, {2, 1, 100, 400}, {2, 2, 10, 120}}), 1);
  EXPECT_TRUE(fit.settled);
  EXPECT_THAT(fit.rank_logits, ElementsAre(0, DoubleNear(std::log(1. / 3), 1e-3)));
  EXPECT_NEAR(fit.pair_logits[1], 0, 1e-3);
  EXPECT_NEAR(fit.pair_logits[2], std::log(1. / 4), 1e-3);
  EXPECT_NEAR(fit.click(2, 1), 10. / 130, 1e-4);
}

TEST(AdditiveClicksTest, ResidualsOfRanksAndPairsSumToZero) {
  const std::vector<testing::LoggedClicks> shown = {{1, 1, 30, 11}, {1, 2, 9, 4},  {1, 4, 5, 50},
                                                    {2, 2, 7, 30},  {2, 4, 20, 3}, {3, 1, 4, 16},
                                                    {3, 4, 1, 9},   {4, 2, 2, 6}};
  const AdditiveClicks fit = fit_additive_clicks(counts_of(shown), 1);
  EXPECT_TRUE(fit.settled);
  double by_rank[5] = {}, by_pair[5] = {};
  for (const auto& at : shown) {
    const double residual =
        at.clicks - (at.clicks + at.skips) * fit.click(at.row, at.position - 1u);
    by_rank[at.position] += residual;
    by_pair[at.row] += residual;
  }
  for (const int rank : {1, 2, 4}) EXPECT_NEAR(by_rank[rank], 0, 1e-3) << "rank " << rank;
  for (const int pair : {1, 2, 3, 4}) EXPECT_NEAR(by_pair[pair], 0, 1e-3) << "pair " << pair;
}

TEST(AdditiveClicksTest, PairsAtOneRankHaveTheirClickRate) {
  const AdditiveClicks fit = fit_additive_clicks(counts_of({{1, 1, 1, 3}, {3, 2, 2, 1}}), 1);
  EXPECT_NEAR(fit.click(1, 0), 1. / 4, 1e-9);
  EXPECT_NEAR(fit.click(3, 1), 2. / 3, 1e-9);
  EXPECT_THAT(fit.rank_logits, ElementsAre(DoubleNear(0, 1e-9), DoubleNear(0, 1e-9)));
  EXPECT_NEAR(fit.pair_logits[1], logit(0.25), 1e-9);
  EXPECT_TRUE(std::isnan(fit.pair_logits[2]));
}

TEST(AdditiveClicksTest, PairsThatAreAlwaysOrNeverClickedAreCertain) {
  const AdditiveClicks fit = fit_additive_clicks(
      counts_of({{1, 1, 0, 5}, {1, 2, 0, 5}, {2, 1, 4, 0}, {3, 1, 1, 1}, {3, 2, 1, 3}}), 1);
  EXPECT_EQ(fit.click(1, 0), 0);
  EXPECT_EQ(fit.click(2, 0), 1);
  EXPECT_NEAR(fit.click(3, 1), sigmoid_at(fit.pair_logits[3] + fit.rank_logits[1]), 1e-12);
  EXPECT_NEAR(fit.click(3, 0), 1. / 2, 1e-4);
}

TEST(AdditiveClicksTest, TheFirstRankShownHasTheLogitZero) {
  const AdditiveClicks fit = fit_additive_clicks(counts_of({{1, 2, 1, 3}, {1, 3, 1, 9}}), 1);
  EXPECT_EQ(fit.rank_logits[1], 0);
  EXPECT_NEAR(fit.click(1, 2), 0.1, 1e-4);
}

TEST(AdditiveClicksTest, ThreadsChangeNothing) {
  std::vector<testing::LoggedClicks> shown;
  for (std::uint32_t row = 1; row < 3000; ++row) {
    const int clicks = 1 + static_cast<int>(row % 3), skips = 1 + static_cast<int>(row % 5);
    const auto position = static_cast<std::uint16_t>(row % 4 + 1);
    shown.push_back({row, position, clicks, skips});
    shown.push_back({row, static_cast<std::uint16_t>(position + 1), clicks, skips + 2});
  }
  const PairPositionCounts log = counts_of(shown);
  const AdditiveClicks one = fit_additive_clicks(log, 1), three = fit_additive_clicks(log, 3);
  EXPECT_TRUE(one.settled);
  EXPECT_EQ(one.rank_logits, three.rank_logits);
  for (std::uint32_t row = 1; row < 3000; ++row)
    ASSERT_EQ(one.pair_logits[row], three.pair_logits[row]) << row;
}

}  // namespace
}  // namespace ultr::additive_clicks_test
