#include "report/small_multiples.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace ultr {
namespace {

/// Returns a panel with one of the series in front of the others.
Chart panel_of(const Chart& chart, std::size_t own, const PanelLegend& legend) {
  Chart panel{.title = chart.series[own].label, .x = chart.x, .y = chart.y};
  panel.identity_line = chart.identity_line;
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    if (i == own || chart.series[i].color == SeriesColor::black) continue;
    Series behind = chart.series[i];
    behind.label = panel.series.empty() ? legend.others : "";
    behind.color = SeriesColor::gray;
    behind.markers = behind.line == LineStyle::none;
    behind.low.clear();
    behind.high.clear();
    panel.series.push_back(std::move(behind));
  }
  for (const Series& series : chart.series)
    if (series.color == SeriesColor::black) panel.series.push_back(series);
  panel.series.push_back(chart.series[own]);
  panel.series.back().label = legend.curve;
  panel.series.back().color = SeriesColor::blue;
  return panel;
}

}  // namespace

void share_limits(std::span<Chart> charts, ChartAxis Chart::*axis) {
  std::vector<AxisLimits> limits;
  for (const Chart& chart : charts) {
    const ChartLimits both = chart_limits(chart);
    limits.push_back(axis == &Chart::x ? both.x : both.y);
  }
  for (Chart& chart : charts) {
    (chart.*axis).lower = std::ranges::min(limits, {}, &AxisLimits::lower).lower;
    (chart.*axis).upper = std::ranges::max(limits, {}, &AxisLimits::upper).upper;
  }
}

std::vector<Chart> panels_of_curves(const Chart& chart, const PanelLegend& legend) {
  std::vector<Chart> panels;
  for (std::size_t i = 0; i < chart.series.size(); ++i)
    if (chart.series[i].color != SeriesColor::black) panels.push_back(panel_of(chart, i, legend));
  if (panels.size() < 2) return {chart};
  share_limits(panels, &Chart::x);
  share_limits(panels, &Chart::y);
  return panels;
}

void use_log_axis(Chart& chart) {
  double smallest = std::numeric_limits<double>::infinity(), largest = 0;
  for (const Series& series : chart.series)
    for (const double value : series.y) {
      if (!std::isfinite(value)) continue;
      smallest = std::min(smallest, value);
      largest = std::max(largest, value);
    }
  if (!(smallest > 0) || largest < 5 * smallest) return;
  chart.y.scale = AxisScale::log;
  chart.y.lower = 0.8 * smallest;
}

double largest_usual(std::span<const double> values) {
  std::vector<double> sorted;
  std::ranges::copy_if(values, std::back_inserter(sorted),
                       [](double v) { return std::isfinite(v); });
  if (sorted.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::ranges::sort(sorted);
  const std::size_t usual = (3 * sorted.size() + 3) / 4 - 1;
  const double reach = 6 * (sorted[usual] - sorted.front());
  if (sorted.size() < 5 || !(reach > 0)) return sorted.back();
  const auto far =
      std::ranges::find_if(sorted, [&](double value) { return value - sorted.front() > reach; });
  return *std::prev(far);
}

}  // namespace ultr
