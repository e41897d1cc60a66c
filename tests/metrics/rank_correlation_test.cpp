#include "metrics/rank_correlation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.h"

namespace ultr::rank_correlation_test {
namespace {

/// Computes τ_b from its definition, pair by pair.
double tau_of_all_pairs(const std::vector<double>& a, const std::vector<double>& b) {
  double agreement = 0, untied_a = 0, untied_b = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const int sign_a = (a[i] > a[j]) - (a[i] < a[j]);
      const int sign_b = (b[i] > b[j]) - (b[i] < b[j]);
      agreement += sign_a * sign_b;
      untied_a += sign_a * sign_a;
      untied_b += sign_b * sign_b;
    }
  }
  return agreement / std::sqrt(untied_a * untied_b);
}

std::vector<double> permutation(std::size_t size, std::mt19937_64& random) {
  std::vector<double> values(size);
  std::iota(values.begin(), values.end(), 1.);
  std::shuffle(values.begin(), values.end(), random);
  return values;
}

TEST(KendallTauTest, CountsPairsInTheSameOrder) {
  // Two of the three pairs agree.
  EXPECT_DOUBLE_EQ(kendall_tau(std::vector{1., 2., 3.}, std::vector{1., 3., 2.}), (2. - 1) / 3);
  // One of three pairs is tied in a; the two others agree.
  EXPECT_DOUBLE_EQ(kendall_tau(std::vector{1., 1., 3.}, std::vector{1., 2., 3.}),
                   2 / std::sqrt(2. * 3));
}

TEST(KendallTauTest, AnOrderAgreesWithItselfAndNotWithItsReverse) {
  std::mt19937_64 random(1);
  for (std::size_t size = 2; size < 200; ++size) {
    const auto values = permutation(size, random);
    std::vector<double> reversed = values;
    for (double& value : reversed) value = -std::exp(value / 10);  // only the order matters
    EXPECT_EQ(kendall_tau(values, values), 1);
    EXPECT_EQ(kendall_tau(values, reversed), -1);
  }
}

TEST(KendallTauTest, EqualsTheDefinitionWithAndWithoutTies) {
  std::mt19937_64 random(2);
  for (const std::size_t levels : {2u, 3u, 10u, 1000u}) {
    for (std::size_t size = 2; size < 70; ++size) {
      std::vector<double> a, b;
      for (std::size_t i = 0; i < size; ++i) {
        a.push_back(static_cast<double>(random() % levels));
        b.push_back(static_cast<double>(random() % levels) - a.back() / 2);
      }
      const double expected = tau_of_all_pairs(a, b);
      if (std::isnan(expected))
        EXPECT_TRUE(std::isnan(kendall_tau(a, b)));
      else
        EXPECT_EQ(kendall_tau(a, b), expected) << size << " values of " << levels;
      EXPECT_EQ(std::isnan(expected) ? 0 : kendall_tau(b, a), std::isnan(expected) ? 0 : expected);
    }
  }
}

TEST(KendallTauTest, InfinitiesAreNumbersLikeOthers) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(kendall_tau(std::vector{-infinity, 0., infinity}, std::vector{1., 2., 3.}), 1);
}

TEST(KendallTauTest, WithoutAnUntiedPairItIsNaN) {
  EXPECT_TRUE(std::isnan(kendall_tau({}, {})));
  EXPECT_TRUE(std::isnan(kendall_tau(std::vector{1.}, std::vector{1.})));
  EXPECT_TRUE(std::isnan(kendall_tau(std::vector{1., 1.}, std::vector{1., 2.})));
  EXPECT_TRUE(std::isnan(kendall_tau(std::vector{1., 2.}, std::vector{1., 1.})));
}

TEST(KendallTauTest, RefusesNaNAndUnequalLengths) {
  EXPECT_THROW(kendall_tau(std::vector{1., 2.}, std::vector{1.}), Error);
  EXPECT_THROW(kendall_tau(std::vector{1., std::nan("")}, std::vector{1., 2.}), Error);
  EXPECT_THROW(kendall_tau(std::vector{1., 2.}, std::vector{std::nan(""), 2.}), Error);
}

}  // namespace
}  // namespace ultr::rank_correlation_test
