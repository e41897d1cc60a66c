#pragma once

#include <optional>
#include <string>
#include <vector>

#include "metrics/seed_summary.h"
#include "runs/results/run_results.h"
#include "studies/comparison/configurations.h"

/// Compares runs and tests whether their differences are more than chance.
namespace ultr {

/// A test of a configuration against the baseline, in one metric.
struct DifferenceTest : SeedTest {
  std::string over{};  // "seeds" or "queries", which are the pairs
  /// The paired measurement: the metric itself over seeds; over queries its value on a query, which
  /// is a log-likelihood for perplexities (see test_queries.h).
  std::string measure{};
  double corrected_p = 1;  // for all tests of the comparison
};

/// The configuration with the best mean on the validation sessions, and its best run.
struct Selection {
  std::string metric;  // "valid.cond_ppl"
  std::size_t configuration = 0, run = 0;
};

/// The way in which the baseline was chosen.
enum class BaselineChoice : std::uint8_t {
  best,      // in each metric, the configuration with the best mean
  selected,  // the Selection
  given,     // by the user
};
/// Returns "best", "selected" or "baseline".
const char* to_string(BaselineChoice choice);

/// One metric of one configuration, over the runs that have it as a finite number.
struct Measurement : SeedSummary {
  std::optional<DifferenceTest> test{};
};

struct MetricComparison {
  std::string metric;
  bool higher_is_better = false;
  std::optional<std::size_t> baseline;    // number of a configuration
  std::vector<Measurement> measurements;  // one per configuration
};

struct Comparison {
  std::vector<RunResults> runs;
  Configurations configurations;
  std::vector<MetricComparison> metrics;
  std::size_t tests = 0;
  BaselineChoice baseline = BaselineChoice::best;
  std::optional<Selection> selection{};
  std::vector<std::string> notes;  // failures and untested differences, one line each
};

/// The metrics and the baseline of a comparison.
struct ComparisonOptions {
  /// Paths in results.json. Empty: conditional and unconditional perplexity on the test sessions
  /// (or validation, or training, whichever is there) and the nDCG with cut-off 10, or the largest.
  std::vector<std::string> metrics{};
  /// Folder of one of the runs or name of a configuration; empty: the one that is selected on
  /// validation sessions, or, if none can be, the one with the best mean in each metric.
  std::string baseline{};
  /// Runs of different test data that only their queries could pair are an error, or else are left
  /// untested, with a note.
  bool refuse_different_queries = true;
  /// Without metrics named, runs that have none of those above are an error, or else are listed
  /// only.
  bool require_metrics = true;
};

/// Groups runs into configurations, in order of appearance, and selects the one with the lowest
/// conditional perplexity on validation sessions, or the lowest loss if all minimise the same one
/// and some only rank. None is selected if runs have other validation sessions or none.
///
/// Tests each configuration against the baseline by two-sided paired t-tests: over the seeds that
/// both have, if these are two or more, and over the queries of the test data, if all their runs
/// have the same, with a query's values averaged over the runs of a configuration. A difference
/// should hold for other seeds and for other queries, so the test with the larger p counts.
/// Bonferroni's correction counts all tests of the comparison: configurations and metrics.
/// Bootstrap intervals have a fixed seed, and 10,000 resamples, fewer (at least 1,000) from 10,000
/// pairs on. Throws ConfigError for an unknown metric or baseline, or two runs of one configuration
/// and seed; DataError for damaged files and, see above, different test data.
Comparison compare(std::vector<RunResults> runs, const ComparisonOptions& options);

}  // namespace ultr
