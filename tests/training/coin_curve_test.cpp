#include "training/coin_curve.h"

#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "base/sigmoid.h"

namespace ultr::coin_curve_test {
namespace {

constexpr double drop = 3.841458820694124;

/// Twice the log of heads^(h + 1/2) tails^(t + 1/2).
double twice_log_likelihood(double heads, double tails, double p) {
  return 2 * ((heads + 0.5) * std::log(p) + (tails + 0.5) * std::log1p(-p));
}

TEST(CoinCurveTest, OfSeenTossesIsTheBinomialLikelihood) {
  constexpr double heads = 3, tails = 17, p = 0.2;
  CoinCurve curve;
  for (int i = 0; i < 20; ++i) curve.add(i < 3 ? 1 - p : -p, 1, p, 1 - p);
  curve.finish();
  const double highest = twice_log_likelihood(heads, tails, 3.5 / 21);
  EXPECT_NEAR(sigmoid(curve.mode()), 3.5 / 21, 1e-6);
  for (const double bound : {curve.lower(drop), curve.upper(drop)})
    EXPECT_NEAR(highest - twice_log_likelihood(heads, tails, sigmoid(bound)), drop, 1e-3);
  EXPECT_LT(curve.lower(drop), curve.mode());
  EXPECT_GT(curve.upper(drop), curve.mode());
}

TEST(CoinCurveTest, OfHiddenTossesIsExactFarFromTheEstimate) {
  // Documents that are examined with probability 0.3: 4 clicks and 40 skips, at the estimate 0.25.
  constexpr double examined = 0.3, p = 0.25;
  CoinCurve curve;
  for (int i = 0; i < 4; ++i) curve.add(1 - p, 1, p, 1 - p);
  for (int i = 0; i < 40; ++i) curve.add(-examined * p * (1 - p) / (1 - examined * p), 1, p, 1 - p);
  curve.finish();
  const auto twice = [&](double q) {
    return 2 * (4.5 * std::log(q) + 0.5 * std::log1p(-q) + 40 * std::log1p(-examined * q));
  };
  double highest = -1e300;
  for (double q = 0.001; q < 1; q += 0.001) highest = std::max(highest, twice(q));
  EXPECT_NEAR(highest - twice(sigmoid(curve.lower(drop))), drop, 2e-3);
  EXPECT_NEAR(highest - twice(sigmoid(curve.upper(drop))), drop, 2e-3);
}

TEST(CoinCurveTest, WithoutTossesReachesTowards0And1) {
  CoinCurve curve;
  curve.add(0, 0, 0.2, 0.8);  // never tossed
  curve.finish();
  EXPECT_LT(sigmoid(curve.lower(drop)), 0.006);
  EXPECT_GT(sigmoid(curve.upper(drop)), 0.994);
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
  EXPECT_DOUBLE_EQ(two.upper(drop), one.upper(drop));
}

TEST(CoinCurveTest, ProductIntervalIsTheProfileLikelihood) {
  CoinCurve a, b;
  a.add_known(30, 20);
  b.add_known(8, 4);
  a.finish();
  b.finish();
  const std::array<const CoinCurve*, 2> coins = {&a, &b};
  const LogitInterval interval = product_interval(coins, drop);
  const double highest =
      twice_log_likelihood(30, 20, 30.5 / 51) + twice_log_likelihood(8, 4, 8.5 / 13);
  double lowest = 1, largest = 0;  // products within the drop
  for (double p = 0.0005; p < 1; p += 0.001)
    for (double q = 0.0005; q < 1; q += 0.001)
      if (highest - twice_log_likelihood(30, 20, p) - twice_log_likelihood(8, 4, q) <= drop) {
        lowest = std::min(lowest, p * q);
        largest = std::max(largest, p * q);
      }
  EXPECT_NEAR(sigmoid(interval.lower), lowest, 2e-3);
  EXPECT_NEAR(sigmoid(interval.upper), largest, 2e-3);
  EXPECT_NEAR(sigmoid(interval.centre), 30.5 / 51 * 8.5 / 13, 1e-6);
}

}  // namespace
}  // namespace ultr::coin_curve_test
