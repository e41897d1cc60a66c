#include "studies/comparison/comparison.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "base/text/quote.h"
#include "options/config_tree.h"
#include "runs/results/measures.h"
#include "runs/test_queries.h"
#include "studies/comparison/axis_value.h"

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

/// The reason why a difference cannot be tested; it becomes a note, not an error.
class Untested : public Error {
 public:
  using Error::Error;
};

/// Runs without two seeds in common were tested on different data.
class Unpaired : public Untested {
 public:
  using Untested::Untested;
};

// Selection

/// Returns true if runs of the same seed have the same numbers of validation sessions and
/// documents, with the same click rate at the first rank.
bool validate_on_the_same(const std::vector<RunResults>& runs) {
  std::map<std::int64_t, std::vector<double>> by_seed;
  for (const RunResults& run : runs) {
    if (!run.failure.empty()) continue;
    std::vector<double> data;
    for (const char* measure :
         {"valid.sessions", "valid.documents", "valid.click_rate_per_rank.1"}) {
      const auto found = run.metrics.find(measure);
      data.push_back(found == run.metrics.end() ? 0 : found->second);
    }
    if (by_seed.try_emplace(run.seed, data).first->second != data) return false;
  }
  return true;
}

/// Returns the metric that tells which run predicts validation sessions best; empty if none does.
std::string selection_metric(const Comparison& comparison) {
  const auto all_have = [&](const std::string& metric) {
    return std::ranges::all_of(comparison.runs, [&](const RunResults& run) {
      const auto found = run.metrics.find(metric);
      return !run.failure.empty() || (found != run.metrics.end() && std::isfinite(found->second));
    });
  };
  if (!validate_on_the_same(comparison.runs)) return "";
  if (all_have("valid.cond_ppl")) return "valid.cond_ppl";
  const bool same_loss = std::ranges::none_of(
      comparison.configurations.keys,
      [](const std::string& key) { return key.starts_with("loss.") || key == "train.loss_mean"; });
  return same_loss && all_have("valid.loss") ? "valid.loss" : "";
}

/// Selects a configuration and a run of it on validation sessions, if there are several to choose
/// from.
std::optional<Selection> selection_of(const Comparison& comparison) {
  const std::string metric = selection_metric(comparison);
  if (metric.empty() || comparison.runs.size() < 2) return std::nullopt;
  std::optional<Selection> selection;
  double lowest = std::numeric_limits<double>::infinity();
  for (std::size_t c = 0; c < comparison.configurations.each.size(); ++c) {
    std::vector<double> values;
    std::optional<std::size_t> best_run;
    for (const std::size_t r : comparison.configurations.each[c].runs) {
      const RunResults& run = comparison.runs[r];
      if (!run.failure.empty()) continue;
      values.push_back(run.metrics.at(metric));
      if (!best_run || values.back() < comparison.runs[*best_run].metrics.at(metric)) best_run = r;
    }
    if (!best_run || !(mean_of(values) < lowest)) continue;
    lowest = mean_of(values);
    selection = {metric, c, *best_run};
  }
  return selection;
}

class Comparer {
 public:
  Comparer(std::vector<RunResults> runs, const ComparisonOptions& options) : options_(options) {
    result_.runs = std::move(runs);
    result_.configurations = group_runs(result_.runs);
    result_.selection = selection_of(result_);
    if (!options.baseline.empty()) {
      result_.baseline = BaselineChoice::given;
      baseline_ = find_configuration(result_.configurations, result_.runs, options.baseline);
    } else if (result_.selection) {
      result_.baseline = BaselineChoice::selected;
      baseline_ = result_.selection->configuration;
    }
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
    comparison.baseline = baseline_ ? baseline_ : best(comparison);
    if (!comparison.baseline || comparison.measurements[*comparison.baseline].by_seed.empty())
      return comparison;
    baseline_queries_.reset();
    for (std::size_t c = 0; c < comparison.measurements.size(); ++c) {
      if (c == *comparison.baseline || comparison.measurements[c].by_seed.empty()) continue;
      try {
        comparison.measurements[c].test = test(comparison, c);
        ++result_.tests;
      } catch (const Untested& why) {
        if (options_.refuse_different_queries && dynamic_cast<const Unpaired*>(&why) != nullptr)
          throw DataError(why.what());
        note(fmt::format("{}: {} is not tested: {}", metric, result_.configurations.each[c].name,
                         why.what()));
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

  /// Returns the test over seeds or over queries, whichever has the larger p.
  DifferenceTest test(const MetricComparison& comparison, std::size_t c) {
    const std::optional<SeedTest> over_seeds = test_seeds(
        comparison.measurements[c].by_seed, comparison.measurements[*comparison.baseline].by_seed);
    if (!over_seeds) return test_queries(comparison, c);
    DifferenceTest seeds{*over_seeds, "seeds", comparison.metric};
    try {
      DifferenceTest queries = test_queries(comparison, c);
      return queries.t_test.p_value > seeds.t_test.p_value ? queries : seeds;
    } catch (const Untested&) {
      return seeds;
    }
  }

  /// Pairs the queries for which both have finite values.
  DifferenceTest test_queries(const MetricComparison& comparison, std::size_t c) {
    if (!baseline_queries_) baseline_queries_ = queries_of(*comparison.baseline, comparison.metric);
    const MeanQueryValues mine = queries_of(c, comparison.metric);
    try {
      expect_same_queries(baseline_queries_->mean, baseline_queries_->first_run, mine.mean,
                          mine.first_run);
    } catch (const OtherQueries& why) {
      throw Unpaired(why.what());
    }
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

  MeanQueryValues queries_of(std::size_t c, const std::string& metric) const {
    std::vector<fs::path> folders;
    for (const std::size_t r : result_.configurations.each[c].runs)
      if (result_.runs[r].failure.empty()) folders.push_back(result_.runs[r].folder);
    try {
      return mean_query_values(folders, metric);
    } catch (const NoQueryValues& why) {
      throw Untested(fmt::format("fewer than two seeds in common, and {}", why.what()));
    } catch (const OtherQueries& why) {
      throw Unpaired(why.what());
    }
  }

  void note(const std::string& line) {
    if (std::ranges::count(result_.notes, line) == 0) result_.notes.push_back(line);
  }

  const ComparisonOptions& options_;
  Comparison result_;
  std::optional<std::size_t> baseline_;              // empty: the best in each metric
  std::optional<MeanQueryValues> baseline_queries_;  // in the metric that is compared
};

}  // namespace

const char* to_string(BaselineChoice choice) {
  return choice == BaselineChoice::given      ? "baseline"
         : choice == BaselineChoice::selected ? "selected"
                                              : "best";
}

Comparison compare(std::vector<RunResults> runs, const ComparisonOptions& options) {
  return Comparer(std::move(runs), options).run();
}

}  // namespace ultr
