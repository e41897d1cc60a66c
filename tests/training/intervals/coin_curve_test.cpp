#include "training/intervals/coin_curve.h"

#include <array>
#include <boost/math/distributions/beta.hpp>
#include <cmath>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/sigmoid.h"

namespace ultr::coin_curve_test {
namespace {

constexpr double outside = 0.025;

/// The quantiles of the beta distribution that Jeffreys' prior and known tosses give.
double beta_quantile(double heads, double tails, double share) {
  return boost::math::quantile(boost::math::beta_distribution<>(heads + 0.5, tails + 0.5), share);
}

double logit(double p) { return std::log(p / (1 - p)); }

TEST(CoinCurveTest, OfSeenTossesHasTheBetaDistribution) {
  for (const auto& [heads, tails] : {std::pair{0.0, 0.0},
                                     {0.0, 1.0},
                                     {1.0, 0.0},
                                     {0.0, 7.0},
                                     {3.0, 17.0},
                                     {400.0, 3.0},
                                     {20000.0, 70000.0}}) {
    constexpr double p = 0.2;
    CoinCurve curve;
    curve.add(1 - p, 1, p, 1 - p, heads);
    curve.add(-p, 1, p, 1 - p, tails);
    curve.finish();
    EXPECT_NEAR(sigmoid(curve.mode()), (heads + 0.5) / (heads + tails + 1), 1e-6);
    const CoinPosterior posterior = curve.posterior();
    for (const double share : {outside, 0.5, 1 - outside}) {
      const double exact = logit(beta_quantile(heads, tails, share));
      const double spread = 1 / std::sqrt(heads + 0.5) + 1 / std::sqrt(tails + 0.5);
      EXPECT_NEAR(posterior.quantile(share), exact, 2e-3 * spread) << heads << ", " << tails;
      EXPECT_NEAR(posterior.below(exact), share, 1e-3);
    }
  }
}

class HiddenTossesTest : public ::testing::TestWithParam<int> {};

TEST_P(HiddenTossesTest, AreExactFarFromTheEstimate) {
  // Documents that are examined with probability 0.3: 4 clicks and some skips, at the estimate
  // 0.25.
  constexpr double examined = 0.3, p = 0.25;
  const int skips = GetParam();
  CoinCurve curve;
  for (int i = 0; i < 4; ++i) curve.add(1 - p, 1, p, 1 - p);
  for (int i = 0; i < skips; ++i)
    curve.add(-examined * p * (1 - p) / (1 - examined * p), 1, p, 1 - p);
  curve.finish();
  const auto density = [&](double q) {
    return std::exp(3.5 * std::log(q) - 0.5 * std::log1p(-q) + skips * std::log1p(-examined * q));
  };
  const CoinPosterior posterior = curve.posterior();
  const double lower = sigmoid(posterior.quantile(outside)),
               upper = sigmoid(posterior.quantile(1 - outside)), mode = sigmoid(curve.mode());
  double all = 0, below_lower = 0, below_upper = 0, highest = 0, at_highest = 0;
  for (double q = 0.000005; q < 1; q += 0.00001) {
    all += density(q);
    if (q < lower) below_lower += density(q);
    if (q < upper) below_upper += density(q);
    const double of_logit = density(q) * q * (1 - q);
    if (of_logit > highest) highest = of_logit, at_highest = q;
  }
  EXPECT_NEAR(below_lower / all, outside, 1e-3);
  EXPECT_NEAR(below_upper / all, 1 - outside, 1e-3);
  EXPECT_NEAR(mode, at_highest, 2e-5);
}

INSTANTIATE_TEST_SUITE_P(WholePacksAndRests, HiddenTossesTest, ::testing::Values(40, 37, 33));

TEST(CoinCurveTest, WithoutTossesReachesTowards0And1) {
  CoinCurve curve;
  curve.add(0, 0, 0.2, 0.8);  // never tossed
  curve.finish();
  EXPECT_LT(sigmoid(curve.posterior().quantile(outside)), 0.002);
  EXPECT_GT(sigmoid(curve.posterior().quantile(1 - outside)), 0.998);
}

TEST(CoinCurveTest, OfTwoTossesTakesOneToBeKnown) {
  // Expected heads 1.6 of two: one is heads, the other is heads with probability 0.6.
  CoinCurve two, one;
  two.add(1.6 - 2 * 0.4, 2, 0.4, 0.6);
  two.finish();
  one.add_known(1, 0);
  one.add(0.6 - 0.4, 1, 0.4, 0.6);
  one.finish();
  EXPECT_DOUBLE_EQ(two.mode(), one.mode());
  EXPECT_DOUBLE_EQ(two.posterior().quantile(outside), one.posterior().quantile(outside));
}

/// The share of products of two coins below a value, by the midpoint rule.
double share_below(std::pair<double, double> a, std::pair<double, double> b, double product) {
  const boost::math::beta_distribution<> first(a.first + 0.5, a.second + 0.5),
      second(b.first + 0.5, b.second + 0.5);
  constexpr double panels = 4000;
  double sum = 0;
  for (double i = 0.5; i < panels; ++i) {
    const double p = boost::math::quantile(first, i / panels);
    sum += p > product ? boost::math::cdf(second, product / p) : 1;
  }
  return sum / panels;
}

TEST(CoinCurveTest, ProductIntervalHasTheQuantilesOfTheProduct) {
  using Tosses = std::pair<double, double>;
  for (const auto& [a, b] : {std::pair{Tosses{30, 20}, Tosses{8, 4}},
                             {Tosses{3, 5}, Tosses{9000, 1000}},  // one is known much better
                             {Tosses{0, 2}, Tosses{0, 0}}}) {
    std::vector<CoinPosterior> coins;
    for (const auto& [heads, tails] : {a, b}) {
      CoinCurve curve;
      curve.add_known(heads, tails);
      curve.finish();
      coins.push_back(curve.posterior());
    }
    const LogitInterval interval = product_interval(coins, outside);
    EXPECT_NEAR(share_below(a, b, sigmoid(interval.lower)), outside, 2e-3);
    EXPECT_NEAR(share_below(a, b, sigmoid(interval.centre)), 0.5, 2e-3);
    EXPECT_NEAR(share_below(a, b, sigmoid(interval.upper)), 1 - outside, 2e-3);
    std::swap(coins[0], coins[1]);
    EXPECT_NEAR(product_interval(coins, outside).lower, interval.lower, 1e-9);
  }
}

TEST(CoinCurveTest, OfAPriorAddsItsHeadsAndTails) {
  // Of 9 tosses of the first, 4 are heads, of which 3 are heads of the second: products of their
  // probabilities have the beta distribution of 3 of 9, with Jeffreys' prior.
  CoinCurve first, second;
  first.add_known(4, 5);
  second.add_known(3, 1);
  first.finish();
  second.finish();
  const std::array coins = {first.posterior({0.75, 0.25}), second.posterior({0.5, 0.25})};
  const LogitInterval interval = product_interval(coins, outside);
  EXPECT_NEAR(sigmoid(interval.lower), beta_quantile(3, 6, outside), 1e-3);
  EXPECT_NEAR(sigmoid(interval.centre), beta_quantile(3, 6, 0.5), 1e-3);
  EXPECT_NEAR(sigmoid(interval.upper), beta_quantile(3, 6, 1 - outside), 1e-3);
}

TEST(CoinCurveTest, ProductIntervalOfOneCoinIsBetweenQuantiles) {
  CoinCurve coin;
  coin.add_known(3, 9);
  coin.finish();
  const std::array coins = {coin.posterior()};
  const LogitInterval interval = product_interval(coins, outside);
  EXPECT_NEAR(sigmoid(interval.lower), beta_quantile(3, 9, outside), 1e-3);
  EXPECT_NEAR(sigmoid(interval.upper), beta_quantile(3, 9, 1 - outside), 1e-3);
}

}  // namespace
}  // namespace ultr::coin_curve_test
