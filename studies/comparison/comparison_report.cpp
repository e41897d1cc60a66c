#include "studies/comparison/comparison_report.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text/formatted_number.h"
#include "base/version.h"
#include "report/markup.h"
#include "runs/report_link.h"
#include "studies/comparison/comparison_table.h"
#include "studies/comparison/metric_by_option.h"

namespace ultr {
namespace {

/// Returns true if every configuration has the same values of both metrics, as have perplexities
/// given the clicks above and without them if no model reads clicks.
bool has_same_values(const MetricComparison& a, const MetricComparison& b) {
  return std::ranges::equal(a.measurements, b.measurements, {}, &Measurement::by_seed,
                            &Measurement::by_seed);
}

DotPlot plot_of(const Comparison& comparison, const MetricComparison& metric) {
  DotPlot plot{.title = fmt::format("{} by configuration", metric.metric),
               .x = {.label = fmt::format("{} ({})", metric.metric,
                                          metric_direction(metric.higher_is_better))}};
  for (const std::size_t c : row_order(comparison, metric)) {
    const Measurement& measured = metric.measurements[c];
    Dot dot{.label = comparison.configurations.each[c].name, .value = measured.mean};
    if (measured.interval) {
      dot.low = measured.interval->lower;
      dot.high = measured.interval->upper;
      for (const auto& [seed, value] : measured.by_seed) dot.parts.push_back(value);
    }
    dot.emphasized = metric.baseline == c;
    dot.mark = dot.emphasized || measured.by_seed.empty()
                   ? comparison_verdict(comparison, metric, c)
               : measured.test ? significance_stars(measured.test->corrected_p)
                               : "";
    plot.dots.push_back(std::move(dot));
  }
  if (!metric.higher_is_better) leave_out_far_values(plot);
  return plot;
}

/// Returns the table of a metric for a page: with the verdict, in words, beside the metric.
ReportTable page_table(const Comparison& comparison, const MetricComparison& metric) {
  ReportTable table = comparison_table(comparison, metric);
  if (table.header.back() != "verdict") return table;
  for (auto& row : table.rows) {
    ReportCell& cell = row.back();
    if (cell.mark == Mark::good) cell.text = "better " + cell.text;
    if (cell.mark == Mark::bad) cell.text = "worse " + cell.text;
  }
  move_column(table, table.header.size() - 1, configuration_columns(comparison).size() + 2);
  return table;
}

/// Returns the section of a metric. A chart that would repeat that of an earlier metric is left
/// out.
ReportSection metric_section(const Comparison& comparison, const MetricComparison& metric) {
  for (const MetricComparison& earlier : comparison.metrics) {
    if (&earlier == &metric) break;
    if (!has_same_values(metric, earlier)) continue;
    const ReportText note{
        fmt::format("Each configuration has the same values as in {}.", earlier.metric)};
    return {metric.metric, {note, page_table(comparison, metric)}};
  }
  return {metric.metric,
          {ReportDotPlot{plot_of(comparison, metric)}, page_table(comparison, metric)}};
}

ReportCell linked_run(const RunResults& run, std::string text,
                      const std::filesystem::path& folder) {
  return linked_cell(std::move(text), report_link(run.folder, folder));
}

/// Returns the numbers of a configuration's runs, the best in a metric first, those that failed
/// last.
std::vector<std::size_t> runs_best_first(const Comparison& comparison, std::size_t c,
                                         const ConfigurationMetric& metric) {
  std::vector<std::size_t> order = comparison.configurations.each[c].runs;
  const auto badness = [&](std::size_t r) {
    const RunResults& run = comparison.runs[r];
    const auto found = run.metrics.find(metric.metric);
    if (!run.failure.empty() || found == run.metrics.end() || !std::isfinite(found->second))
      return HUGE_VAL;
    return metric.higher_is_better ? -found->second : found->second;
  };
  std::ranges::stable_sort(order, {}, badness);
  return order;
}

/// Returns the configurations with the metric that selects among them, the best first. Each row
/// links to the report of its best run.
ReportTable selection_table(const Comparison& comparison, const ConfigurationMetric& metric,
                            const std::filesystem::path& folder) {
  ReportTable table{.header = configuration_columns(comparison), .rows = {}};
  table.header.insert(table.header.end(), {metric.metric, "runs", "best run"});
  for (const std::size_t c : metric.best_first()) {
    std::vector<ReportCell> row = configuration_cells(comparison, c);
    const RunResults& best = comparison.runs[runs_best_first(comparison, c, metric).front()];
    const std::string link = report_link(best.folder, folder);
    row.front().link = link;
    if (comparison.selection && comparison.selection->configuration == c)
      row.front().mark = Mark::chosen;
    row.emplace_back(mean_with_interval(metric.each[c]));
    row.emplace_back(fmt::format("{}", metric.each[c].by_seed.size()));
    row.push_back(linked_cell(fmt::format("seed {}", best.seed), link));
    table.rows.push_back(std::move(row));
  }
  table.caption =
      fmt::format("The best configuration in {} first ({}): means over seeds with 95% intervals.",
                  metric.metric, metric_direction(metric.higher_is_better));
  return table;
}

ReportTable runs_table(const Comparison& comparison, const ConfigurationMetric& metric,
                       const std::filesystem::path& folder) {
  ReportTable table{.header = {"configuration", "seed", metric.metric, "result", "folder"},
                    .rows = {}};
  for (const std::size_t c : metric.best_first())
    for (const std::size_t r : runs_best_first(comparison, c, metric)) {
      const RunResults& run = comparison.runs[r];
      const auto found = run.metrics.find(metric.metric);
      table.rows.push_back({linked_run(run, comparison.configurations.each[c].name, folder),
                            fmt::format("{}", run.seed),
                            found == run.metrics.end() ? "-" : format_measure(found->second),
                            run.failure.empty() ? marked_cell("finished", Mark::good)
                                                : marked_cell("failed: " + run.failure, Mark::bad),
                            run.folder.string()});
    }
  return table;
}

}  // namespace

Report comparison_report(const Comparison& comparison, const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const RunResults& run : comparison.runs)
    if (std::ranges::count(names, run.name) == 0) names.push_back(run.name);
  Report report;
  report.title = fmt::format("Comparison of {}", fmt::join(names, ", "));
  const auto count = [](std::size_t n, const char* what) {
    return fmt::format("{} {}{}", group_digits(n), what, n == 1 ? "" : "s");
  };
  report.summary = fmt::format("{} of {}, {}. ultr {}.", count(comparison.runs.size(), "run"),
                               count(comparison.configurations.each.size(), "configuration"),
                               count(comparison.tests, "test"), version());
  const ConfigurationMetric deciding = deciding_metric(comparison);
  if (comparison.selection)
    report.sections.push_back({"Selected configuration",
                               {ReportText{comparison_selection(comparison), Mark::chosen},
                                selection_table(comparison, deciding, folder)}});
  // Without a selection, a single option is in the plots below.
  if (comparison.selection || comparison.configurations.keys.size() > 1)
    if (std::vector<ReportBlock> charts = charts_by_option(comparison, deciding); !charts.empty())
      report.sections.push_back({fmt::format("{} by option", deciding.metric), std::move(charts)});
  for (const MetricComparison& metric : comparison.metrics)
    report.sections.push_back(metric_section(comparison, metric));
  if (!comparison.metrics.empty())
    report.sections.push_back(
        {"How to read this",
         {ReportText{fmt::format("{}", fmt::join(comparison_explanations(comparison), " "))}}});
  report.sections.push_back(
      {"Runs",
       {ReportText{fmt::format("{}", fmt::join(comparison.notes, "\n\n")), Mark::warning},
        runs_table(comparison, deciding, folder)}});
  return report;
}

}  // namespace ultr
