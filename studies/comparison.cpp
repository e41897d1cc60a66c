#include "studies/comparison.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "base/quote.h"
#include "options/config_tree.h"
#include "runs/measures.h"
#include "runs/test_queries.h"
#include "studies/axis_value.h"

namespace ultr {
namespace {

namespace fs = std::filesystem;

// Metrics

std::set<std::string> known_metrics(const std::vector<RunResults>& runs) {
  std::set<std::string> known;
  for (const RunResults& run : runs)
    for (const auto& [metric, value] : run.metrics) known.insert(metric);
  return known;
}

void expect_measured(const std::string& metric, const std::set<std::string>& known) {
  if (known.contains(metric)) return;
  const std::string near = nearest_name(metric, {known.begin(), known.end()});
  throw ConfigError(fmt::format(
      "metric {} is in no run's results; {}", quote(metric),
      near.empty() ? "expected a path in results.json, such as test.cond_ppl or test.ranking.arp"
                   : fmt::format("did you mean '{}'?", near)));
}

/// Returns the nDCG that papers report: with cut-off 10, or else the largest.
std::optional<std::string> usual_ndcg(const std::set<std::string>& known) {
  const std::string prefix = "test.ranking.ndcg@";
  std::optional<std::string> usual;
  std::uint64_t largest = 0;
  for (const std::string& metric : known) {
    if (!metric.starts_with(prefix)) continue;
    const std::uint64_t cutoff = std::strtoull(metric.c_str() + prefix.size(), nullptr, 10);
    if (cutoff == 10) return metric;
    if (cutoff <= largest) continue;
    largest = cutoff;
    usual = metric;
  }
  return usual;
}

std::vector<std::string> usual_metrics(const std::set<std::string>& known, bool required) {
  std::vector<std::string> usual;
  for (const std::string split : {"test", "valid", "train"}) {
    for (const char* metric : {".cond_ppl", ".ppl"})
      if (known.contains(split + metric)) usual.push_back(split + metric);
    if (!usual.empty()) break;
  }
  if (const auto ndcg = usual_ndcg(known)) usual.push_back(*ndcg);
  if (usual.empty() && !known.empty() && required)
    throw ConfigError("the runs have neither perplexities nor nDCG; expected metrics to compare");
  return usual;
}

// Pairs

/// The measurements of a configuration on each query, averaged over its runs.
struct ConfigurationQueries {
  QueryValues mean;
  fs::path first_run;
};

/// The reason why a difference cannot be tested; it becomes a note, not an error.
class Untested : public Error {
 public:
  using Error::Error;
};

class Comparer {
 public:
  Comparer(std::vector<RunResults> runs, const ComparisonOptions& options) : options_(options) {
    result_.runs = std::move(runs);
    result_.configurations = group_runs(result_.runs);
    result_.baseline_given = !options.baseline.empty();
    if (result_.baseline_given)
      given_baseline_ = find_configuration(result_.configurations, result_.runs, options.baseline);
  }

  Comparison run() {
    for (const RunResults& run : result_.runs)
      if (!run.failure.empty())
        result_.notes.push_back(fmt::format("{}: {}", run.folder.string(), run.failure));
    const std::set<std::string> known = known_metrics(result_.runs);
    for (const std::string& metric : options_.metrics) expect_measured(metric, known);
    for (const std::string& metric : options_.metrics.empty()
                                         ? usual_metrics(known, options_.require_metrics)
                                         : options_.metrics)
      result_.metrics.push_back(compare_metric(metric));
    for (MetricComparison& metric : result_.metrics)
      for (Measurement& measured : metric.measurements)
        if (measured.test) measured.test->corrected_p = measured.test->corrected(result_.tests);
    return std::move(result_);
  }

 private:
  MetricComparison compare_metric(const std::string& metric) {
    MetricComparison comparison{metric, better_of(metric) != Better::lower, {}, {}};
    for (const Configuration& configuration : result_.configurations.each)
      comparison.measurements.push_back(measure(configuration, metric));
    comparison.baseline = given_baseline_ ? given_baseline_ : best(comparison);
    if (!comparison.baseline || comparison.measurements[*comparison.baseline].by_seed.empty())
      return comparison;
    baseline_queries_.reset();
    for (std::size_t c = 0; c < comparison.measurements.size(); ++c) {
      if (c == *comparison.baseline || comparison.measurements[c].by_seed.empty()) continue;
      try {
        comparison.measurements[c].test = test(comparison, c);
        ++result_.tests;
      } catch (const Untested& untested) {
        note(fmt::format("{}: {} is not tested: {}", metric, result_.configurations.each[c].name,
                         untested.what()));
      }
    }
    return comparison;
  }

  Measurement measure(const Configuration& configuration, const std::string& metric) {
    SeedValues in_order_of_runs;
    for (const std::size_t r : configuration.runs) {
      const RunResults& run = result_.runs[r];
      const auto found = run.metrics.find(metric);
      if (!run.failure.empty()) continue;
      if (found == run.metrics.end() || !std::isfinite(found->second)) {
        note(fmt::format("{}: {} is {}", run.folder.string(), metric,
                         found == run.metrics.end() ? "missing" : "not a finite number"));
        continue;
      }
      in_order_of_runs.emplace_back(fmt::format("{}", run.seed), found->second);
    }
    Measurement measured{summarize_seeds(std::move(in_order_of_runs))};
    std::ranges::sort(measured.by_seed, {},
                      [](const auto& value) { return axis_number(value.first); });
    return measured;
  }

  /// Returns the first configuration with the best mean.
  static std::optional<std::size_t> best(const MetricComparison& comparison) {
    std::optional<std::size_t> best;
    for (std::size_t c = 0; c < comparison.measurements.size(); ++c) {
      const double mean = comparison.measurements[c].mean;
      if (std::isnan(mean)) continue;
      const double least = best ? comparison.measurements[*best].mean : mean;
      if (!best || (comparison.higher_is_better ? mean > least : mean < least)) best = c;
    }
    return best;
  }

  DifferenceTest test(const MetricComparison& comparison, std::size_t c) {
    const SeedValues& mine = comparison.measurements[c].by_seed;
    const SeedValues& base = comparison.measurements[*comparison.baseline].by_seed;
    if (const std::optional<SeedTest> over_seeds = test_seeds(mine, base))
      return {*over_seeds, "seeds", comparison.metric};
    return test_queries(comparison, c);
  }

  /// Pairs the queries for which both have finite values.
  DifferenceTest test_queries(const MetricComparison& comparison, std::size_t c) {
    if (!baseline_queries_) baseline_queries_ = queries_of(*comparison.baseline, comparison.metric);
    const ConfigurationQueries mine = queries_of(c, comparison.metric);
    require_same(*baseline_queries_, mine.mean, mine.first_run);
    std::vector<double> values, base;
    for (std::size_t i = 0; i < mine.mean.queries.size(); ++i) {
      const double x = mine.mean.queries[i].value, y = baseline_queries_->mean.queries[i].value;
      if (!std::isfinite(x) || !std::isfinite(y)) continue;
      values.push_back(x);
      base.push_back(y);
    }
    if (values.size() < 2)
      throw Untested(
          fmt::format("fewer than two seeds in common and {} of the two queries that a test needs",
                      values.empty() ? "none" : "one"));
    return {test_pairs(values, base), "queries", mine.mean.name};
  }

  ConfigurationQueries queries_of(std::size_t c, const std::string& metric) const {
    std::optional<ConfigurationQueries> sum;
    double runs = 0;
    for (const std::size_t r : result_.configurations.each[c].runs) {
      const RunResults& run = result_.runs[r];
      if (!run.failure.empty()) continue;
      std::optional<QueryValues> values = read_query_values(run.folder, metric);
      if (!values)
        throw Untested(
            fmt::format("fewer than two seeds in common, and {} has no values of it for each query",
                        run.folder.string()));
      ++runs;
      if (!sum) {
        sum = {std::move(*values), run.folder};
        continue;
      }
      require_same(*sum, *values, run.folder);
      for (std::size_t i = 0; i < values->queries.size(); ++i)
        sum->mean.queries[i].value += values->queries[i].value;
    }
    for (QueryValue& query : sum->mean.queries) query.value /= runs;
    return std::move(*sum);
  }

  void require_same(const ConfigurationQueries& a, const QueryValues& b,
                    const fs::path& b_run) const {
    try {
      expect_same_queries(a.mean, a.first_run, b, b_run);
    } catch (const DataError& error) {
      if (options_.refuse_different_queries) throw;
      throw Untested(error.what());
    }
  }

  void note(const std::string& line) {
    if (std::ranges::count(result_.notes, line) == 0) result_.notes.push_back(line);
  }

  const ComparisonOptions& options_;
  Comparison result_;
  std::optional<std::size_t> given_baseline_;
  std::optional<ConfigurationQueries> baseline_queries_;  // in the metric that is compared
};

}  // namespace

Comparison compare(std::vector<RunResults> runs, const ComparisonOptions& options) {
  return Comparer(std::move(runs), options).run();
}

}  // namespace ultr
