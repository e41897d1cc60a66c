#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/quantile.h"

/// The significance of differences between runs, over seeds or over queries.
namespace ultr {

/// The result of a paired t-test.
struct PairedTTest {
  double mean_difference = 0;     // mean of a - b
  double t = 0;                   // mean difference over its standard error
  double degrees_of_freedom = 0;  // pairs - 1
  /// The probability of a |t| at least this large if the differences are normal with mean 0.
  double p_value = 1;
};

/// Student's two-sided t-test of paired measurements: a[i] and b[i] come from the same seed or
/// query. t = mean(d) / (s / sqrt(n)), where d = a - b and s is the standard deviation with divisor
/// n - 1. Equal differences have s = 0: then t is ±inf and p 0, or t 0 and p 1 if all differences
/// are 0. Throws Error if the lengths differ, there are fewer than two pairs or a value is not
/// finite.
PairedTTest paired_t_test(std::span<const double> a, std::span<const double> b);

/// Bonferroni's correction: min(1, p * comparisons). Compare the result with the level that the
/// whole family of comparisons should have. Throws Error if p is not in [0, 1] or there are no
/// comparisons.
double bonferroni(double p_value, std::size_t comparisons);

/// The options of bootstrap_interval.
struct BootstrapOptions {
  double confidence = 0.95;  // in (0, 1)
  std::size_t resamples = 10000;
  std::uint64_t seed = 0;
};

/// The ends of a confidence interval.
struct ConfidenceInterval {
  double lower = 0, upper = 0;
};

/// Bootstrap confidence interval of the mean by the percentile method (Efron, 1979): the quantiles
/// (1 ± confidence) / 2 of the means of resamples drawn with replacement, interpolated linearly
/// between order statistics. The same seed draws the same resamples with every standard library,
/// because they come from the counter-based generator Philox 4x64-10 (Salmon et al., SC 2011).
///
/// If there is one value, or all are equal, both ends are that value. Intervals over the few seeds
/// of a usual experiment are too narrow: for normal values, 95% intervals cover the true mean in
/// about 83% of cases with five values and 90% with ten. Throws Error if there are no values or no
/// resamples, a value is not finite, or confidence is not in (0, 1).
ConfidenceInterval bootstrap_interval(std::span<const double> values,
                                      const BootstrapOptions& options = {});

/// 95% bootstrap_interval from fewer resamples of many values, because their mean is nearly normal:
/// 10,000 resamples up to 10,000 values, then 10^8 draws in all, but at least 1,000 resamples.
/// Throws as bootstrap_interval does.
ConfidenceInterval mean_interval(std::span<const double> values, std::uint64_t seed = 0);

/// 95% confidence interval of Σ totals / Σ sizes over a large sample of groups, such as the mean
/// log-likelihood per document of sessions: ratio ± 1.96 s sqrt(n) / Σ sizes, where s is the
/// standard deviation of totals[i] - ratio * sizes[i] with divisor n - 1. Throws Error if the
/// lengths differ, there are fewer than two groups, or the sizes sum to 0.
ConfidenceInterval ratio_interval(std::span<const double> totals, std::span<const double> sizes);

}  // namespace ultr
