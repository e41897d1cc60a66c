#include "metrics/bootstrap.h"

#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

namespace ultr::bootstrap_test {
namespace {

RandomStream stream(std::uint32_t step, std::uint64_t resample) {
  return {7, RandomPurpose::testing, step, resample};
}

TEST(BootstrapTest, DrawsItemsOneByOneFromTheStream) {
  RandomStream random = stream(0, 3);
  std::vector<std::uint8_t> expected(50);
  for (int i = 0; i < 50; ++i) ++expected[random.below(50)];
  EXPECT_EQ(draw_with_replacement(50, stream(0, 3)), expected);
  EXPECT_NE(draw_with_replacement(50, stream(0, 4)), expected);
  EXPECT_NE(draw_with_replacement(50, stream(1, 3)), expected);
}

TEST(BootstrapTest, AnItemIsMissingInAThirdOfTheResamples) {
  constexpr int resamples = 2000;
  int missing = 0;
  for (int i = 0; i < resamples; ++i) {
    const auto times = draw_with_replacement(100, stream(0, static_cast<std::uint64_t>(i)));
    EXPECT_EQ(std::accumulate(times.begin(), times.end(), 0), 100);
    missing += times[42] == 0 ? 1 : 0;
  }
  EXPECT_NEAR(missing / double{resamples}, std::pow(0.99, 100), 0.04);
}

TEST(BootstrapTest, WeightsAreNumbersOfItems) {
  const std::vector<double> weights = {1, 0.5, 700.25, 298};
  std::vector<double> sums(4);
  for (std::uint64_t i = 0; i < 200; ++i) {
    const std::vector<double> times = draw_by_weight(weights, stream(0, i));
    EXPECT_EQ(std::accumulate(times.begin(), times.end(), 0.), 1000);
    for (std::size_t k = 0; k < 4; ++k) sums[k] += times[k] / 200;
  }
  EXPECT_NEAR(sums[0], 1, 0.4);
  EXPECT_NEAR(sums[1], 0.5, 0.3);
  EXPECT_NEAR(sums[2], 700.25, 5);
  EXPECT_NEAR(sums[3], 298, 5);
}

TEST(BootstrapTest, PoissonDrawsHaveMeanAndVarianceOne) {
  const std::vector<double> times = draw_poisson(100'000, stream(0, 0));
  double sum = 0, squares = 0;
  for (const double drawn : times) {
    sum += drawn;
    squares += (drawn - 1) * (drawn - 1);
  }
  EXPECT_NEAR(sum / 1e5, 1, 0.02);
  EXPECT_NEAR(squares / 1e5, 1, 0.04);
  RandomStream random = stream(0, 0);
  EXPECT_EQ(times[0] == 0, random.uniform() < std::exp(-1.)) << "one number per item";
  EXPECT_EQ(times[1] == 0, random.uniform() < std::exp(-1.));
}

TEST(BootstrapTest, PercentilesLeaveAShareOutside) {
  std::vector<double> values(101);
  std::iota(values.rbegin(), values.rend(), 0.);
  EXPECT_NEAR(percentile_interval(values).lower, 2.5, 1e-12);
  EXPECT_NEAR(percentile_interval(values).upper, 97.5, 1e-12);
  EXPECT_NEAR(percentile_interval(values, 0.25).lower, 25, 1e-12);
  EXPECT_NEAR(percentile_interval(values, 0.25).upper, 75, 1e-12);
}

}  // namespace
}  // namespace ultr::bootstrap_test
