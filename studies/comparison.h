#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "experiment/run_results.h"
#include "metrics/significance.h"
#include "studies/configurations.h"

/// Runs side by side: what they measured, and whether the differences are more than chance.
namespace ultr {

/// What paired measurements have in common.
enum class PairedOver : std::uint8_t { seeds, queries };

/// A configuration against the baseline, in one metric.
struct DifferenceTest {
  PairedOver over = PairedOver::seeds;
  /// What was paired: the metric itself over seeds; over queries its value on a query, which is a
  /// log-likelihood for perplexities (see test_queries.h).
  std::string measure;
  std::size_t pairs = 0;
  PairedTTest t_test;           // of this configuration minus the baseline
  ConfidenceInterval interval;  // 95% bootstrap interval of the mean difference
  double corrected_p = 1;       // p times the number of tests of the comparison, at most 1
};

/// One metric of one configuration.
struct Measurement {
  std::map<std::int64_t, double> by_seed;      // of the runs that have it as a finite number
  double mean = 0;                             // over these; NaN without any
  std::optional<ConfidenceInterval> interval;  // 95% bootstrap interval of the mean, of 2 or more
  std::optional<DifferenceTest> test;
};

struct MetricComparison {
  std::string metric;
  bool higher_is_better = false;
  std::optional<std::size_t> baseline;    // number of a configuration
  std::vector<Measurement> measurements;  // one a configuration
};

struct Comparison {
  std::vector<RunResults> runs;
  Configurations configurations;
  std::vector<MetricComparison> metrics;
  std::size_t tests = 0;
  bool baseline_given = false;
  std::vector<std::string> notes;  // what failed and what could not be tested, a line each
};

/// What to compare.
struct ComparisonOptions {
  /// Paths in results.json. Empty: conditional and unconditional perplexity on the test sessions
  /// (or validation, or training, whichever is there) and the nDCG with cut-off 10, or the largest.
  std::vector<std::string> metrics{};
  /// Folder of one of the runs or name of a configuration; empty: the one with the best mean, in
  /// each metric.
  std::string baseline{};
  /// Runs of different test data that only their queries could pair are an error, or else are left
  /// untested, with a note.
  bool refuse_different_queries = true;
  /// Without metrics named, runs that have none of those above are an error, or else are listed
  /// only.
  bool require_metrics = true;
};

/// Returns true unless lower values of a metric of results.json are better (see better_of).
bool higher_is_better(const std::string& metric);

/// Groups runs into configurations, in order of appearance, and tests each against the baseline: a
/// two-sided paired t-test over the seeds that both have, if these are two or more, or else over
/// the queries of the test data, with a query's values averaged over the runs of a configuration.
/// Bonferroni's correction counts all tests of the comparison: configurations and metrics.
/// Bootstrap intervals have a fixed seed, and 10,000 resamples, fewer (at least 1,000) from 10,000
/// pairs on. Throws ConfigError for an unknown metric or baseline, or two runs of one configuration
/// and seed; DataError for damaged files and, see above, different test data.
Comparison compare(std::vector<RunResults> runs, const ComparisonOptions& options);

}  // namespace ultr
