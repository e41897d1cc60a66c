#include "metrics/significance.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <functional>
#include <numeric>
#include <vector>

#include <Random123/philox.h>
#include <fmt/core.h>

#include "base/error.h"

namespace ultr {
namespace {

void require_finite(std::span<const double> values, const char* name) {
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!std::isfinite(values[i]))
      throw Error(fmt::format("{} {} is {}; expected finite numbers", name, i, values[i]));
}

struct Moments {
  double mean = 0;
  double squared_deviations = 0;  // sum
};

/// Welford's updates. They are exact for equal values, so that their deviation is 0 and not
/// rounding noise.
Moments moments(std::span<const double> values) {
  Moments result;
  double count = 0;
  for (const double value : values) {
    const double from_old_mean = value - result.mean;
    result.mean += from_old_mean / ++count;
    result.squared_deviations += from_old_mean * (value - result.mean);
  }
  return result;
}

/// The key that separates these streams from other uses of the same seed.
constexpr std::uint64_t bootstrap_purpose = 0x626f6f7473747261;  // "bootstra"

/// Returns the sum of one resample: as many draws with replacement as there are values.
double resampled_sum(std::span<const double> values, std::uint64_t seed, std::uint64_t resample) {
  const r123::Philox4x64 generator;
  const r123::Philox4x64::key_type key = {{seed, bootstrap_purpose}};
  const auto size = static_cast<double>(values.size());
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); i += 4) {
    const auto random = generator({{resample, i / 4, 0, 0}}, key);
    const std::size_t draws = std::min<std::size_t>(4, values.size() - i);
    for (std::size_t draw = 0; draw < draws; ++draw) {
      // 53 bits make a double in [0, 1); its product with a size below 2^53 stays below the size.
      const double uniform = static_cast<double>(random[draw] >> 11) * 0x1p-53;
      sum += values[static_cast<std::size_t>(uniform * size)];
    }
  }
  return sum;
}

}  // namespace

PairedTTest paired_t_test(std::span<const double> a, std::span<const double> b) {
  if (a.size() != b.size() || a.size() < 2)
    throw Error(fmt::format("paired_t_test: {} and {} values; expected equally many, at least 2",
                            a.size(), b.size()));
  std::vector<double> differences(a.size());
  std::transform(a.begin(), a.end(), b.begin(), differences.begin(), std::minus<>());
  require_finite(differences, "paired_t_test: difference");

  const Moments d = moments(differences);
  const auto count = static_cast<double>(differences.size());
  PairedTTest test;
  test.mean_difference = d.mean;
  test.degrees_of_freedom = count - 1;
  if (d.mean == 0) return test;  // also if the standard error is 0 too
  const double standard_error = std::sqrt(d.squared_deviations / (count - 1) / count);
  test.t = d.mean / standard_error;
  const boost::math::students_t distribution(test.degrees_of_freedom);
  test.p_value = 2 * boost::math::cdf(boost::math::complement(distribution, std::abs(test.t)));
  return test;
}

double bonferroni(double p_value, std::size_t comparisons) {
  if (!(p_value >= 0 && p_value <= 1) || comparisons == 0)
    throw Error(
        fmt::format("bonferroni: p is {}, {} comparisons; expected p between 0 and 1 and "
                    "at least one comparison",
                    p_value, comparisons));
  return std::min(1.0, p_value * static_cast<double>(comparisons));
}

ConfidenceInterval bootstrap_interval(std::span<const double> values,
                                      const BootstrapOptions& options) {
  if (values.empty() || options.resamples == 0)
    throw Error(fmt::format("bootstrap_interval: {} values, {} resamples; expected at least 1",
                            values.size(), options.resamples));
  if (!(options.confidence > 0 && options.confidence < 1))
    throw Error(
        fmt::format("bootstrap_interval: confidence is {}; expected a number between 0 "
                    "and 1",
                    options.confidence));
  require_finite(values, "bootstrap_interval: value");

  // Deviations from the mean keep all digits and are 0 if all values are equal.
  const double mean = moments(values).mean;
  std::vector<double> deviations(values.begin(), values.end());
  for (double& deviation : deviations) deviation -= mean;
  std::vector<double> means(options.resamples);
  for (std::size_t resample = 0; resample < means.size(); ++resample)
    means[resample] = mean + resampled_sum(deviations, options.seed, resample) /
                                 static_cast<double>(values.size());
  std::sort(means.begin(), means.end());
  return {quantile(means, (1 - options.confidence) / 2),
          quantile(means, (1 + options.confidence) / 2)};
}

ConfidenceInterval mean_interval(std::span<const double> values, std::uint64_t seed) {
  constexpr std::size_t draws = 100'000'000, fewest = 1000, most = 10'000;
  const std::size_t count = std::max<std::size_t>(1, values.size());
  return bootstrap_interval(values,
                            {.resamples = std::clamp(draws / count, fewest, most), .seed = seed});
}

ConfidenceInterval ratio_interval(std::span<const double> totals, std::span<const double> sizes) {
  const double size = std::accumulate(sizes.begin(), sizes.end(), 0.0);
  if (totals.size() != sizes.size() || totals.size() < 2 || size == 0)
    throw Error(
        fmt::format("ratio_interval: {} totals and {} sizes, which sum to {}; expected at "
                    "least two of each and a sum other than 0",
                    totals.size(), sizes.size(), size));
  const double ratio = std::accumulate(totals.begin(), totals.end(), 0.0) / size;
  double squares = 0;
  for (std::size_t i = 0; i < totals.size(); ++i)
    squares += std::pow(totals[i] - ratio * sizes[i], 2);
  const auto n = static_cast<double>(totals.size());
  const double error = std::sqrt(squares / (n - 1) * n) / size;
  return {ratio - 1.96 * error, ratio + 1.96 * error};
}

}  // namespace ultr
