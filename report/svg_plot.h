#pragma once

#include <string>
#include <vector>

#include "report/chart.h"

/// The inside of a chart: grid, axes with their tick labels, and the series.
namespace ultr {

/// In the picture's units; y grows downwards.
struct PlotArea {
  double left = 0, top = 0, width = 0, height = 0;
};

inline constexpr double tick_font_size = 12, tick_label_height = 20;

/// The chart's y ticks in a plot area of this height.
std::vector<Tick> y_ticks(const Chart& chart, double height);

/// The chart's x ticks in a plot area of this width, as many as have room for their labels.
std::vector<Tick> x_ticks(const Chart& chart, double width);

/// SVG of the plot. Tick labels stand left of the area and in the tick_label_height below it.
/// A chart without anything to draw says "no data". Markers carry their values as tooltips.
std::string draw_plot(const Chart& chart, PlotArea area);

}  // namespace ultr
