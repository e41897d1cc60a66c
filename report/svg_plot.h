#pragma once

#include <string>
#include <vector>

#include "report/chart.h"

/// The plot area of a chart: grid, axes with tick labels, and series.
namespace ultr {

/// A rectangle in the picture's units; y grows downwards.
struct PlotArea {
  double left = 0, top = 0, width = 0, height = 0;
};

inline constexpr double tick_font_size = 12, tick_label_height = 20;

/// Returns the y ticks of the chart for a plot area of this height.
std::vector<Tick> y_ticks(const Chart& chart, double height);

/// Returns the x ticks of the chart for a plot area of this width, so many that labels do not
/// overlap.
std::vector<Tick> x_ticks(const Chart& chart, double width);

/// Draws the plot as SVG. Tick labels are left of the area and within tick_label_height below it.
/// A chart without anything to draw shows "no data". Markers have their values as tooltips.
std::string draw_plot(const Chart& chart, PlotArea area);

}  // namespace ultr
