#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "metrics/significance.h"

/// Summaries and tests of one measurement per seed. Sweeps, comparisons and studies share them, so
/// that they all print the same numbers.
namespace ultr {

/// One measurement per seed: (seed, value). The bootstrap depends on their order.
using SeedValues = std::vector<std::pair<std::string, double>>;

/// A measurement over seeds.
struct SeedSummary {
  SeedValues by_seed;
  double mean = 0;                             // NaN without seeds
  double standard_deviation = 0;               // with divisor n - 1; NaN below two seeds
  std::optional<ConfidenceInterval> interval;  // of the mean, from two seeds on, if all are finite
};

/// Returns mean, standard deviation and 95% bootstrap interval.
SeedSummary summarize_seeds(SeedValues by_seed);

/// Returns the arithmetic mean, summed in this order; NaN without values.
double mean_of(std::span<const double> values);

/// A paired comparison of two series of measurements, a and b.
struct SeedTest {
  std::size_t pairs = 0;
  PairedTTest t_test;           // of a - b
  ConfidenceInterval interval;  // 95% bootstrap interval of the mean difference

  /// Returns p after Bonferroni's correction for a family of so many tests, at least one.
  double corrected(std::size_t tests) const;
};

/// Tests a[i] against b[i]. Throws Error as paired_t_test does.
SeedTest test_pairs(std::span<const double> a, std::span<const double> b);

/// Tests a against b over the seeds for which both are finite; empty if there are fewer than two.
std::optional<SeedTest> test_seeds(const SeedValues& a, const SeedValues& b);

}  // namespace ultr
