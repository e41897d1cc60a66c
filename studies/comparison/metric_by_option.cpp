#include "studies/comparison/metric_by_option.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "studies/comparison/axis_value.h"
#include "studies/comparison/comparison_table.h"

namespace ultr {
namespace {

/// A value of an option, with the configurations that have it, the best first.
struct OptionValue {
  std::string text;
  double number = 0;  // NaN if it is none
  std::vector<std::size_t> configurations;
};

/// Returns the values of an option in the order of their best configurations. Configurations
/// without the option or without results are left out.
std::vector<OptionValue> values_of(const Comparison& comparison, const ConfigurationMetric& metric,
                                   std::size_t key) {
  std::vector<OptionValue> values;
  for (const std::size_t c : metric.best_first()) {
    const std::string& text = comparison.configurations.each[c].values[key];
    if (text == "-" || metric.each[c].by_seed.empty()) continue;
    auto found = std::ranges::find(values, text, &OptionValue::text);
    if (found == values.end()) found = values.insert(found, {text, axis_number(text), {}});
    found->configurations.push_back(c);
  }
  return values;
}

/// Returns true if steps between sorted numbers are more alike on a log axis than on a linear one.
bool is_log_spaced(const std::vector<OptionValue>& values) {
  if (values.front().number <= 0) return false;
  if (values.size() == 2) return values[1].number >= 10 * values[0].number;
  double least = HUGE_VAL, most = 0, least_log = HUGE_VAL, most_log = 0;
  for (std::size_t i = 1; i < values.size(); ++i) {
    const double step = values[i].number - values[i - 1].number;
    const double log_step = std::log(values[i].number / values[i - 1].number);
    least = std::min(least, step);
    most = std::max(most, step);
    least_log = std::min(least_log, log_step);
    most_log = std::max(most_log, log_step);
  }
  return most_log * least < most * least_log;
}

/// Ends an axis where the line of the best configurations takes a third of it, if runs are far
/// above; lower is better.
void leave_out_far_runs(const Series& best, const Series& runs, ChartAxis& axis) {
  const double lowest = std::ranges::min(best.y), highest = std::ranges::max(best.y);
  const double end = lowest + 3 * (highest - lowest);
  if (highest > lowest && std::ranges::max(runs.y) > end) axis.upper = end;
}

Chart number_chart(const std::string& key, std::vector<OptionValue> values,
                   const ConfigurationMetric& metric, bool other_options) {
  std::ranges::sort(values, {}, &OptionValue::number);
  Chart chart{.title = fmt::format("{} by {}", metric.metric, key)};
  chart.x = {.label = key,
             .scale = is_log_spaced(values) ? AxisScale::log : AxisScale::linear,
             .integer = std::ranges::all_of(values, [](const OptionValue& value) {
               return value.number == std::round(value.number);
             })};
  chart.y = {.label =
                 fmt::format("{} ({})", metric.metric, metric_direction(metric.higher_is_better))};
  Series runs{.label = "runs", .line = LineStyle::none, .markers = true};
  runs.color = SeriesColor::gray;
  Series best{.label = other_options ? "best of the other options" : "mean over seeds",
              .markers = true};
  bool any_interval = false;
  for (const OptionValue& value : values) {
    const SeedSummary& first = metric.each[value.configurations.front()];
    const ConfidenceInterval none{first.mean, first.mean};
    any_interval |= first.interval.has_value();
    best.x.push_back(value.number);
    best.y.push_back(first.mean);
    best.low.push_back(first.interval.value_or(none).lower);
    best.high.push_back(first.interval.value_or(none).upper);
    for (const std::size_t c : value.configurations)
      for (const auto& [seed, measured] : metric.each[c].by_seed) {
        runs.x.push_back(value.number);
        runs.y.push_back(measured);
      }
  }
  if (!any_interval) best.low.clear(), best.high.clear();
  if (!metric.higher_is_better) leave_out_far_runs(best, runs, chart.y);
  if (runs.x.size() > best.x.size()) chart.series.push_back(std::move(runs));
  chart.series.push_back(std::move(best));
  chart.series.back().color = SeriesColor::blue;
  return chart;
}

DotPlot category_plot(const Comparison& comparison, const std::string& key,
                      const std::vector<OptionValue>& values, const ConfigurationMetric& metric) {
  DotPlot plot{.title = fmt::format("{} by {}", metric.metric, key),
               .x = {.label = fmt::format("{} ({})", metric.metric,
                                          metric_direction(metric.higher_is_better))}};
  for (const OptionValue& value : values) {
    const SeedSummary& best = metric.each[value.configurations.front()];
    Dot dot{.label = value.text, .value = best.mean};
    if (best.interval) dot.low = best.interval->lower, dot.high = best.interval->upper;
    for (const std::size_t c : value.configurations)
      for (const auto& [seed, measured] : metric.each[c].by_seed) dot.parts.push_back(measured);
    if (dot.parts.size() == 1) dot.parts.clear();
    dot.emphasized =
        comparison.selection &&
        std::ranges::count(value.configurations, comparison.selection->configuration) > 0;
    plot.dots.push_back(std::move(dot));
  }
  leave_out_far_values(plot);
  return plot;
}

std::string caption(const char* verb, const ConfigurationMetric& metric, bool other_options) {
  const bool seeds = std::ranges::any_of(
      metric.each, [](const SeedSummary& summary) { return summary.interval.has_value(); });
  std::string text = fmt::format("{} {} at each value{}.", verb,
                                 other_options ? "the best configuration" : "the configuration",
                                 seeds ? ", its mean over seeds with a 95% interval" : "");
  return seeds || other_options ? text + " Each small dot is a run." : text;
}

}  // namespace

std::vector<ReportBlock> charts_by_option(const Comparison& comparison,
                                          const ConfigurationMetric& metric) {
  const std::vector<std::string>& keys = comparison.configurations.keys;
  const bool other_options = keys.size() > 1;
  ReportFigure lines{.charts = {}, .caption = caption("The line joins", metric, other_options)};
  std::vector<ReportBlock> blocks;
  for (std::size_t k = 0; k < keys.size(); ++k) {
    const std::vector<OptionValue> values = values_of(comparison, metric, k);
    if (values.size() < 2) continue;
    if (std::ranges::all_of(values, [](const OptionValue& v) { return std::isfinite(v.number); }))
      lines.charts.push_back(number_chart(keys[k], values, metric, other_options));
    else
      blocks.emplace_back(ReportDotPlot{category_plot(comparison, keys[k], values, metric),
                                        caption("The large dot is", metric, other_options)});
  }
  if (lines.charts.empty()) return blocks;
  lines.columns = lines.charts.size() > 1 ? 2 : 1;
  if (std::ranges::any_of(lines.charts,
                          [](const Chart& chart) { return chart.y.upper.has_value(); }))
    lines.caption += " Runs far above are left out.";
  blocks.insert(blocks.begin(), std::move(lines));
  return blocks;
}

}  // namespace ultr
