#pragma once

#include <string>
#include <vector>

#include "report/axis.h"

/// Line charts as values: what is drawn, not how. report/svg.h draws them. Members have
/// initializers, so that {...} may leave out the last ones.
namespace ultr {

enum class LineStyle { none, solid, dashed };

/// The colours of Okabe and Ito (2008), which colour-blind readers can tell apart, without their
/// yellow, which does not show on white. Black is the page's text colour: white on a dark page.
enum class SeriesColor { automatic, blue, vermillion, green, purple, orange, sky_blue, black };

/// Points (x, y) in drawing order. A point whose x or y has no position on its axis (NaN, infinite,
/// or <= 0 on a log axis) is not drawn and breaks the line.
struct Series {
  std::string label{};  // in the legend; empty: not in the legend
  std::vector<double> x{}, y{};
  /// Ends of an interval at each x, e.g. of a 95% confidence interval: a translucent band, or error
  /// bars where the series has no line. Either both are empty or both are as long as x. On a log
  /// axis a `low` of zero or less reaches to the lower edge.
  std::vector<double> low{}, high{};
  LineStyle line = LineStyle::solid;
  bool markers = false;
  /// Automatic colours go, in the order of the enumeration, to the automatic series of a chart and
  /// leave out those that another series names. When all are used they repeat, with dotted lines
  /// and hollow markers.
  SeriesColor color = SeriesColor::automatic;
};

struct Chart {
  std::string title{};
  ChartAxis x{}, y{};
  std::vector<Series> series{};
  bool identity_line = false;  // draws y = x, e.g. where a calibrated model's points lie
};

/// Throws Error, naming chart and series, if x and y of a series differ in length, low or high are
/// neither empty nor as long as x, or a series has nothing to show (no line, markers nor interval),
/// or if check_axis throws.
void check_chart(const Chart& chart);

/// Whether point i of the series has a position.
bool is_drawn(const Chart& chart, const Series& series, std::size_t i);

/// Whether the series has an interval at its x value i that has a position.
bool has_interval(const Chart& chart, const Series& series, std::size_t i);

/// Whether nothing of the series can be drawn.
bool is_empty(const Chart& chart, const Series& series);

struct ChartLimits {
  AxisLimits x, y;
};

/// What the axes span (see axis_limits): x all that is drawn, y what is drawn within x's limits.
ChartLimits chart_limits(const Chart& chart);

}  // namespace ultr
