#include "report/chart.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"

namespace ultr {
namespace {

// Padding as a fraction of the range, so that no line runs along the frame.
constexpr double x_padding = 0.02, y_padding = 0.06;

}  // namespace

void check_chart(const Chart& chart) {
  check_axis(chart.x);
  check_axis(chart.y);
  for (const Series& series : chart.series) {
    const auto check_length = [&](const std::vector<double>& values, const char* name) {
      if (values.size() != series.x.size())
        throw Error(fmt::format("chart '{}', series '{}': {} x values but {} {} values",
                                chart.title, series.label, series.x.size(), values.size(), name));
    };
    check_length(series.y, "y");
    const bool interval = !series.low.empty() || !series.high.empty();
    if (interval) check_length(series.low, "low");
    if (interval) check_length(series.high, "high");
    if (series.line == LineStyle::none && !series.markers && !interval)
      throw Error(fmt::format("chart '{}', series '{}' has no line, markers or interval to show",
                              chart.title, series.label));
  }
}

bool is_drawn(const Chart& chart, const Series& series, std::size_t i) {
  return has_position(chart.x.scale, series.x[i]) && has_position(chart.y.scale, series.y[i]);
}

bool has_interval(const Chart& chart, const Series& series, std::size_t i) {
  return !series.low.empty() && has_position(chart.x.scale, series.x[i]) &&
         has_position(AxisScale::linear, series.low[i]) &&
         has_position(chart.y.scale, series.high[i]);
}

bool is_empty(const Chart& chart, const Series& series) {
  for (std::size_t i = 0; i < series.x.size(); ++i)
    if (is_drawn(chart, series, i) || has_interval(chart, series, i)) return false;
  return true;
}

ChartLimits chart_limits(const Chart& chart) {
  std::vector<double> x, y;
  for (const Series& series : chart.series)
    for (std::size_t i = 0; i < series.x.size(); ++i)
      if (is_drawn(chart, series, i) || has_interval(chart, series, i)) x.push_back(series.x[i]);
  const AxisLimits limits = axis_limits(chart.x, x, x_padding);
  for (const Series& series : chart.series) {
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      if (!(series.x[i] >= limits.lower && series.x[i] <= limits.upper)) continue;
      if (is_drawn(chart, series, i)) y.push_back(series.y[i]);
      if (has_interval(chart, series, i)) y.insert(y.end(), {series.low[i], series.high[i]});
    }
  }
  return {limits, axis_limits(chart.y, y, y_padding)};
}

std::string describe_chart(const Chart& chart) {
  const ChartLimits limits = chart_limits(chart);
  const auto axis = [](const char* name, const ChartAxis& of, AxisLimits range) {
    return fmt::format("{}{}{} from {:.3g} to {:.3g}{}", name, of.label.empty() ? "" : ": ",
                       of.label, range.lower, range.upper,
                       of.scale == AxisScale::log ? " (log scale)" : "");
  };
  std::vector<std::string> labels;
  for (const Series& series : chart.series)
    if (!series.label.empty()) labels.push_back(series.label);
  return fmt::format("{}; {}.{}", axis("x", chart.x, limits.x), axis("y", chart.y, limits.y),
                     labels.empty() ? "" : fmt::format(" Shown: {}.", fmt::join(labels, ", ")));
}

}  // namespace ultr
