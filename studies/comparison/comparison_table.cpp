#include "studies/comparison/comparison_table.h"

#include <cmath>

#include <fmt/format.h>

#include "base/text/formatted_number.h"
#include "studies/comparison/configuration_metric.h"

namespace ultr {
namespace {

/// Shows the sign, and the digits of small differences.
std::string shown_difference(double value) {
  const double size = std::abs(value);
  return size >= 1e-3 && size < 1e4 ? fmt::format("{:+.5f}", value) : fmt::format("{:+.2e}", value);
}

std::string shown_p(double p) { return p < 1e-4 ? "<0.0001" : fmt::format("{:.4f}", p); }

/// Returns the icon of a verdict: a tick if the configuration is better than the baseline, a cross
/// if it is worse.
Mark mark(const MetricComparison& metric, std::size_t c) {
  const Measurement& measured = metric.measurements[c];
  if (measured.by_seed.empty()) return Mark::missing;
  if (metric.baseline == c) return Mark::chosen;
  if (!measured.test) return Mark::none;
  if (measured.test->corrected_p >= 0.05) return Mark::even;
  const DifferenceTest& test = *measured.test;
  const bool likelihood = test.measure != metric.metric && test.measure.ends_with("ll");
  const bool higher_is_better = likelihood || metric.higher_is_better;
  return (test.t_test.mean_difference > 0) == higher_is_better ? Mark::good : Mark::bad;
}

}  // namespace

std::string significance_stars(double p) {
  return p < 0.001 ? "***" : p < 0.01 ? "**" : p < 0.05 ? "*" : "";
}

std::string mean_with_interval(const SeedSummary& measured) {
  const std::string mean = format_measure(measured.mean);
  return !measured.interval
             ? mean
             : fmt::format("{} [{}, {}]", mean, format_measure(measured.interval->lower),
                           format_measure(measured.interval->upper));
}

const char* metric_direction(bool higher_is_better) {
  return higher_is_better ? "higher is better" : "lower is better";
}

std::string comparison_verdict(const Comparison& comparison, const MetricComparison& metric,
                               std::size_t c) {
  const Measurement& measured = metric.measurements[c];
  if (measured.by_seed.empty()) return "no result";
  if (metric.baseline == c) return to_string(comparison.baseline);
  if (!measured.test) return "not tested";
  const std::string mark = significance_stars(measured.test->corrected_p);
  return mark.empty() ? "not significant" : mark;
}

std::vector<std::size_t> row_order(const Comparison& comparison, const MetricComparison& metric) {
  return comparison.selection ? deciding_metric(comparison).best_first()
                              : metric_of(comparison, metric.metric).best_first();
}

std::vector<std::string> configuration_columns(const Comparison& comparison) {
  if (comparison.configurations.each.size() < 2) return {"experiment"};
  return comparison.configurations.keys;
}

std::vector<ReportCell> configuration_cells(const Comparison& comparison, std::size_t c) {
  const Configuration& configuration = comparison.configurations.each[c];
  if (comparison.configurations.each.size() < 2) return {configuration.name};
  return {configuration.values.begin(), configuration.values.end()};
}

ReportTable comparison_table(const Comparison& comparison, const MetricComparison& metric) {
  const bool single = comparison.configurations.each.size() < 2;
  ReportTable table{.header = configuration_columns(comparison), .rows = {}};
  table.header.insert(table.header.end(), {"runs", metric.metric});
  if (!single)
    table.header.insert(table.header.end(), {"difference", "pairs", "p", "corrected p", "verdict"});
  for (const std::size_t c : row_order(comparison, metric)) {
    const Measurement& measured = metric.measurements[c];
    std::vector<ReportCell> row = configuration_cells(comparison, c);
    row.emplace_back(fmt::format("{}", measured.by_seed.size()));
    row.emplace_back(mean_with_interval(measured));
    if (!single && measured.test) {
      const DifferenceTest& test = *measured.test;
      row.emplace_back(fmt::format("{} [{}, {}]", shown_difference(test.t_test.mean_difference),
                                   shown_difference(test.interval.lower),
                                   shown_difference(test.interval.upper)));
      row.emplace_back(fmt::format("{} {}", test.pairs, test.over));
      row.emplace_back(shown_p(test.t_test.p_value));
      row.emplace_back(shown_p(test.corrected_p));
    } else if (!single) {
      row.insert(row.end(), 4, "-");
    }
    if (!single)
      row.push_back(marked_cell(comparison_verdict(comparison, metric, c), mark(metric, c)));
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string comparison_selection(const Comparison& comparison) {
  if (!comparison.selection) return "";
  const auto& [selecting, c, r] = *comparison.selection;
  const RunResults& run = comparison.runs[r];
  std::string text =
      fmt::format("Selected on validation sessions: {}. Its best run: {}, with {} {}",
                  comparison.configurations.each[c].name, run.folder.string(), selecting,
                  format_measure(run.metrics.at(selecting)));
  for (const MetricComparison& metric : comparison.metrics)
    if (const auto found = run.metrics.find(metric.metric);
        found != run.metrics.end() && metric.metric != selecting)
      text += fmt::format(", {} {}", metric.metric, format_measure(found->second));
  return text + ".";
}

std::vector<std::string> comparison_explanations(const Comparison& comparison) {
  std::vector<std::string> sentences = {
      "Means are over runs that differ in their seed alone, with 95% bootstrap intervals."};
  if (comparison.tests == 0) return sentences;
  sentences.push_back(
      fmt::format("Differences from the {} are tested by two-sided paired t-tests over seeds and "
                  "over queries, of which the larger p counts, corrected for {} test{} "
                  "(Bonferroni).",
                  comparison.baseline == BaselineChoice::given      ? "baseline"
                  : comparison.baseline == BaselineChoice::selected ? "selected configuration"
                                                                    : "best",
                  comparison.tests, comparison.tests == 1 ? "" : "s"));
  sentences.emplace_back("Corrected p: * below 0.05, ** below 0.01, *** below 0.001.");
  for (const MetricComparison& metric : comparison.metrics)
    for (const Measurement& measured : metric.measurements) {
      if (!measured.test || measured.test->over == "seeds") continue;
      sentences.push_back(
          fmt::format("{} over queries: the difference is that of {}, averaged for each query.",
                      metric.metric, measured.test->measure));
      break;
    }
  return sentences;
}

}  // namespace ultr
