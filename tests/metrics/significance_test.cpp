#include "metrics/significance.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include <Random123/philox.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "testing/not_finite.h"

namespace ultr::significance_test {
namespace {

using testing::infinity;

/// Returns P(|T| >= t) for degrees of freedom at which the t distribution has an elementary form.
double two_sided_p(double t, std::size_t degrees_of_freedom) {
  t = std::abs(t);
  const auto n = static_cast<double>(degrees_of_freedom);
  const double angle = std::atan(t / std::sqrt(n));
  const double sine = std::sin(angle), cosine = std::cos(angle);
  switch (degrees_of_freedom) {
    case 1:
      return 1 - 2 / std::numbers::pi * angle;
    case 2:
      return 1 - sine;
    case 3:
      return 1 - 2 / std::numbers::pi * (angle + sine * cosine);
    case 4:
      return 1 - sine * (1 + cosine * cosine / 2);
    default:
      return std::nan("");
  }
}

TEST(PairedTTestTest, FollowsStudentsFormula) {
  const std::vector<double> a = {1, 4, 3}, b = {0, 1, 1};  // differences 1, 3, 2
  const PairedTTest test = paired_t_test(a, b);
  EXPECT_DOUBLE_EQ(test.mean_difference, (1. + 3 + 2) / 3);
  EXPECT_DOUBLE_EQ(test.t, 2 / (std::sqrt((1. + 1 + 0) / 2) / std::sqrt(3.)));
  EXPECT_EQ(test.degrees_of_freedom, 2);
  EXPECT_NEAR(test.p_value, two_sided_p(test.t, 2), 1e-15);  // 1 - sine loses digits
}

TEST(PairedTTestTest, PValuesEqualTheElementaryForms) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  for (std::size_t pairs = 2; pairs <= 5; ++pairs) {
    for (int trial = 0; trial < 50; ++trial) {
      std::vector<double> a, b;
      for (std::size_t i = 0; i < pairs; ++i) {
        a.push_back(normal(random) + trial / 10.);
        b.push_back(normal(random));
      }
      const PairedTTest test = paired_t_test(a, b);
      EXPECT_NEAR(test.p_value, two_sided_p(test.t, pairs - 1), 1e-14);
      const PairedTTest swapped = paired_t_test(b, a);
      EXPECT_EQ(swapped.t, -test.t);
      EXPECT_EQ(swapped.p_value, test.p_value);
    }
  }
}

TEST(PairedTTestTest, ATinyPValueKeepsItsDigits) {
  // Differences 1 - 1e-6 and 1 + 1e-6 give t = 1e6, where 1 - cdf would lose ten digits.
  const std::vector<double> a = {-1e-6, 1e-6}, b = {-1, -1};
  const PairedTTest test = paired_t_test(a, b);
  EXPECT_NEAR(test.t, 1e6, 1);
  EXPECT_NEAR(test.p_value, 2 / std::numbers::pi * std::atan(1 / test.t), 1e-20);
}

TEST(PairedTTestTest, EqualDifferencesAreCertainAndNoDifferenceIsNone) {
  const std::vector<double> a = {1.5, 2.5, 0.5}, lower = {1.25, 2.25, 0.25};
  EXPECT_EQ(paired_t_test(a, lower).t, infinity);
  EXPECT_EQ(paired_t_test(lower, a).t, -infinity);
  EXPECT_EQ(paired_t_test(a, lower).p_value, 0);
  EXPECT_EQ(paired_t_test(a, a).t, 0);
  EXPECT_EQ(paired_t_test(a, a).p_value, 1);
  EXPECT_EQ(paired_t_test(a, a).degrees_of_freedom, 2);
  // A constant that is not a sum of a few powers of two leaves no rounding noise either.
  const std::vector<double> tenths(7, 0.1), zeros(7, 0.0);
  EXPECT_EQ(paired_t_test(tenths, zeros).t, infinity);
}

TEST(PairedTTestTest, RefusesUnpairedMeasurements) {
  const std::vector<double> two = {1, 2}, three = {1, 2, 3}, one = {1};
  const std::vector<double> undefined = {1, std::nan("")}, infinite = {1, infinity};
  EXPECT_THROW(paired_t_test(two, three), Error);
  EXPECT_THROW(paired_t_test(one, one), Error);
  EXPECT_THROW(paired_t_test(two, undefined), Error);
  EXPECT_THROW(paired_t_test(infinite, two), Error);
}

TEST(BonferroniTest, MultipliesUpToOne) {
  EXPECT_DOUBLE_EQ(bonferroni(0.01, 3), 0.01 * 3);
  EXPECT_EQ(bonferroni(0.5, 3), 1);
  EXPECT_EQ(bonferroni(0, 1000), 0);
  EXPECT_EQ(bonferroni(0.25, 1), 0.25);
  EXPECT_THROW(bonferroni(0.5, 0), Error);
  EXPECT_THROW(bonferroni(-0.1, 2), Error);
  EXPECT_THROW(bonferroni(1.1, 2), Error);
  EXPECT_THROW(bonferroni(std::nan(""), 2), Error);
}

/// Returns the smallest k with P(Binomial(n, 1/2) <= k) >= share.
int binomial_quantile(int n, double share) {
  double term = std::pow(0.5, n), sum = term;
  int k = 0;
  while (sum < share) {
    term *= static_cast<double>(n - k) / (k + 1);
    sum += term;
    ++k;
  }
  return k;
}

TEST(BootstrapIntervalTest, OfHalfOnesIsTheBinomialInterval) {
  for (const int n : {10, 20, 30}) {
    std::vector<double> values;
    for (int i = 0; i < n; ++i) values.push_back(i % 2);
    const ConfidenceInterval interval =
        bootstrap_interval(values, {.resamples = 100'000, .seed = 7});
    EXPECT_NEAR(interval.lower, static_cast<double>(binomial_quantile(n, 0.025)) / n, 1e-12) << n;
    EXPECT_NEAR(interval.upper, static_cast<double>(binomial_quantile(n, 0.975)) / n, 1e-12) << n;
    const ConfidenceInterval narrow =
        bootstrap_interval(values, {.confidence = 0.5, .resamples = 100'000, .seed = 7});
    EXPECT_NEAR(narrow.lower, static_cast<double>(binomial_quantile(n, 0.25)) / n, 1e-12) << n;
    EXPECT_NEAR(narrow.upper, static_cast<double>(binomial_quantile(n, 0.75)) / n, 1e-12) << n;
  }
}

TEST(BootstrapIntervalTest, OfManyValuesIsTheNormalInterval) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal(5, 2);
  std::vector<double> values(400);
  double sum = 0, squares = 0;
  for (double& value : values) sum += value = normal(random);
  const double mean = sum / 400;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const double standard_error = std::sqrt(squares / 400 / 400);
  const ConfidenceInterval interval = bootstrap_interval(values, {.resamples = 100'000});
  EXPECT_NEAR(interval.lower, mean - 1.96 * standard_error, 0.03 * standard_error);
  EXPECT_NEAR(interval.upper, mean + 1.96 * standard_error, 0.03 * standard_error);
}

TEST(BootstrapIntervalTest, InterpolatesBetweenTheMeansOfPhiloxResamples) {
  const std::vector<double> values = {3, 1, 4, 1, 5, 9, 2};
  constexpr std::uint64_t seed = 11, purpose = 0x626f6f7473747261;
  std::vector<double> means;
  for (std::uint64_t resample = 0; resample < 3; ++resample) {
    double sum = 0;
    for (std::uint64_t draw = 0; draw < 7; ++draw) {
      const auto block = r123::Philox4x64()({{resample, draw / 4, 0, 0}}, {{seed, purpose}});
      const double uniform = static_cast<double>(block[draw % 4] >> 11) / std::exp2(53);
      sum += values[static_cast<std::size_t>(uniform * 7)];
    }
    means.push_back(sum / 7);
  }
  std::sort(means.begin(), means.end());
  const ConfidenceInterval interval =
      bootstrap_interval(values, {.confidence = 0.5, .resamples = 3, .seed = seed});
  EXPECT_NEAR(interval.lower, (means[0] + means[1]) / 2, 1e-14);
  EXPECT_NEAR(interval.upper, (means[1] + means[2]) / 2, 1e-14);
  EXPECT_LT(interval.lower, interval.upper);
}

TEST(BootstrapIntervalTest, DependsOnTheSeedAlone) {
  const std::vector<double> values = {0.3, 0.1, 0.4, 0.15, 0.9};
  const BootstrapOptions options{.resamples = 500, .seed = 1};
  const ConfidenceInterval first = bootstrap_interval(values, options);
  const ConfidenceInterval again = bootstrap_interval(values, options);
  const ConfidenceInterval other = bootstrap_interval(values, {.resamples = 500, .seed = 2});
  EXPECT_EQ(first.lower, again.lower);
  EXPECT_EQ(first.upper, again.upper);
  EXPECT_TRUE(first.lower != other.lower || first.upper != other.upper);
}

TEST(BootstrapIntervalTest, EqualValuesHaveNoSpread) {
  for (const std::size_t count : {1u, 10u}) {
    const std::vector<double> values(count, 0.1);
    const ConfidenceInterval interval = bootstrap_interval(values, {.resamples = 100});
    EXPECT_EQ(interval.lower, 0.1);
    EXPECT_EQ(interval.upper, 0.1);
  }
}

TEST(BootstrapIntervalTest, RefusesEmptyAndNonFiniteSamples) {
  const std::vector<double> values = {1, 2};
  EXPECT_THROW(bootstrap_interval({}), Error);
  EXPECT_THROW(bootstrap_interval(std::vector{1., std::nan("")}), Error);
  EXPECT_THROW(bootstrap_interval(std::vector{1., infinity}), Error);
  EXPECT_THROW(bootstrap_interval(values, {.resamples = 0}), Error);
  EXPECT_THROW(bootstrap_interval(values, {.confidence = 1}), Error);
  EXPECT_THROW(bootstrap_interval(values, {.confidence = 0}), Error);
}

TEST(MeanIntervalTest, IsTheBootstrapIntervalWithItsSeed) {
  const std::vector<double> values = {2, 4, 9};
  const ConfidenceInterval expected = bootstrap_interval(values, {.seed = 7});
  EXPECT_EQ(mean_interval(values, 7).lower, expected.lower);
  EXPECT_EQ(mean_interval(values, 7).upper, expected.upper);
  EXPECT_THROW(mean_interval({}), Error);
}

TEST(MeanIntervalSlowTest, ManyValuesNeedFewerResamples) {
  std::vector<double> values;
  for (std::size_t i = 0; i < 20'000; ++i) values.push_back(static_cast<double>(i % 7));
  EXPECT_EQ(mean_interval(values, 3).lower,
            bootstrap_interval(values, {.resamples = 5000, .seed = 3}).lower);
}

TEST(RatioIntervalTest, IsTheMeanWithItsStandardErrorWhereSizesAreEqual) {
  const std::vector<double> totals = {2, 4, 6, 12}, sizes = {2, 2, 2, 2};
  // Means per unit 1, 2, 3, 6: mean 3, standard deviation sqrt(14 / 3).
  const ConfidenceInterval interval = ratio_interval(totals, sizes);
  const double error = std::sqrt(14.0 / 3 / 4);
  EXPECT_DOUBLE_EQ(interval.lower, 3 - 1.96 * error);
  EXPECT_DOUBLE_EQ(interval.upper, 3 + 1.96 * error);
}

TEST(RatioIntervalTest, CoversTheRatioOfTheWholeInNinetyFiveOfAHundredSamples) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> noise(0, 1);
  int covered = 0;
  constexpr int rounds = 2000;
  for (int round = 0; round < rounds; ++round) {
    std::vector<double> totals, sizes;
    for (int i = 0; i < 200; ++i) {
      sizes.push_back(static_cast<double>(1 + random() % 10));
      totals.push_back(-0.3 * sizes.back() + std::sqrt(sizes.back()) * noise(random));
    }
    const ConfidenceInterval interval = ratio_interval(totals, sizes);
    covered += interval.lower <= -0.3 && -0.3 <= interval.upper ? 1 : 0;
  }
  EXPECT_NEAR(covered / static_cast<double>(rounds), 0.95, 0.02);
}

TEST(RatioIntervalTest, RefusesWhatHasNoSpread) {
  const std::vector<double> one = {1}, two = {1, 2}, zeros = {0, 0};
  EXPECT_THROW(ratio_interval(one, one), Error);
  EXPECT_THROW(ratio_interval(two, one), Error);
  EXPECT_THROW(ratio_interval(two, zeros), Error);
}

}  // namespace
}  // namespace ultr::significance_test
