#include "kernels/sum_of_logs.h"

#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace ultr::sum_of_logs_test {
namespace {

/// Returns `count` numbers of all sizes, subnormal ones included.
std::vector<double> numbers(std::size_t count, double smallest_log, double largest_log) {
  std::mt19937_64 random(count);
  std::uniform_real_distribution<double> logarithm(smallest_log, largest_log);
  std::vector<double> x(count);
  for (double& y : x) y = std::exp(logarithm(random));
  return x;
}

void expect_sum(const std::vector<double>& x) {
  long double sum = 0, sizes = 0;
  for (const double y : x) {
    const long double log = std::log(static_cast<long double>(y));
    sum += log;
    sizes += std::abs(log);
  }
  EXPECT_NEAR(sum_of_logs(x), static_cast<double>(sum), 1e-15 * static_cast<double>(sizes))
      << x.size() << " numbers";
}

TEST(SumOfLogsTest, IsTheSumOfLogarithms) {
  for (std::size_t count = 0; count < 40; ++count) expect_sum(numbers(count, -700, 700));
  expect_sum(numbers(1000, -5, 0));
  expect_sum(numbers(1000, -88.1, -87.9));  // around the smallest that are multiplied
  expect_sum(numbers(1000, 87.9, 88.1));
}

TEST(SumOfLogsTest, ProductsStayInRange) {
  for (const double x : {1.4, 0.75, 0.71, 0x1p-127, 0x1p127, 1e-40, 1e40, 1e-300, 1e300})
    for (const std::size_t count : {8'192, 30'000, 200'000}) {
      const auto sum = static_cast<double>(count * std::log(static_cast<long double>(x)));
      EXPECT_NEAR(sum_of_logs(std::vector<double>(count, x)), sum, 1e-15 * std::abs(sum)) << x;
    }
}

TEST(SumOfLogsTest, SubnormalNumbersCount) {
  expect_sum(numbers(100, -744, -700));
  expect_sum({0.5, 5e-324, 0.25});
}

TEST(SumOfLogsTest, ProbabilitiesOfOneAddNothing) {
  EXPECT_EQ(sum_of_logs(std::vector<double>(100, 1)), 0);
}

TEST(SumOfLogsTest, ZeroIsMinusInfinityAndWhatHasNoLogarithmIsNaN) {
  std::vector<double> x(20, 0.5);
  x[17] = 0;
  EXPECT_EQ(sum_of_logs(x), -HUGE_VAL);
  x[3] = -1;
  EXPECT_TRUE(std::isnan(sum_of_logs(x)));
  x[3] = NAN;
  EXPECT_TRUE(std::isnan(sum_of_logs(x)));
  EXPECT_EQ(sum_of_logs(std::vector<double>{HUGE_VAL, 1}), HUGE_VAL);
}

TEST(SumOfLogsTest, NumbersAboveTheMostAllowedGiveNaN) {
  constexpr double most = 1.5;
  for (const double smallest : {0.5, 5e-324}) {  // among others whose product is normal, or not
    std::vector<double> x(20, 0.5);
    x[0] = smallest;
    x[17] = most;
    EXPECT_DOUBLE_EQ(sum_of_logs(x, most), sum_of_logs(x));
    for (const double above : {std::nextafter(most, 2), 1e200, HUGE_VAL}) {
      x[17] = above;
      EXPECT_TRUE(std::isnan(sum_of_logs(x, most))) << above;
      x[3] = 0;
      EXPECT_TRUE(std::isnan(sum_of_logs(x, most))) << above;
      x[3] = 0.5;
    }
  }
}

}  // namespace
}  // namespace ultr::sum_of_logs_test
