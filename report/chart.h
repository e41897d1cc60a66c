#pragma once

#include <string>
#include <vector>

#include "report/axis.h"

/// Line charts as plain data, which report/svg.h draws. Members have initializers, so that {...}
/// may leave out the last ones.
namespace ultr {

enum class LineStyle { none, solid, dashed };

/// The colours of Okabe and Ito (2008), which colour-blind readers can tell apart, without yellow,
/// which is hard to see on white. Black is the page's text colour: nearly white on a dark page.
/// Grey, for curves behind others, is never automatic.
enum class SeriesColor {
  automatic,
  blue,
  vermillion,
  green,
  purple,
  orange,
  sky_blue,
  black,
  gray
};

/// Points (x, y) in drawing order. A point whose x or y has no position on its axis (NaN, infinite,
/// or <= 0 on a log axis) is not drawn and breaks the line.
struct Series {
  std::string label{};  // in the legend; if empty, the series has no legend entry
  std::vector<double> x{}, y{};
  /// Ends of an interval at each x, such as a 95% confidence interval. Drawn as a translucent band,
  /// or as error bars if the series has no line. Both are empty, or both are as long as x. On a log
  /// axis, a `low` of zero or less reaches to the lower edge.
  std::vector<double> low{}, high{};
  LineStyle line = LineStyle::solid;
  bool markers = false;
  /// Automatic series get the colours in the order of the enumeration, except those that another
  /// series names. Once all are used, colours repeat, with dotted lines and hollow markers.
  SeriesColor color = SeriesColor::automatic;
};

struct Chart {
  std::string title{};
  ChartAxis x{}, y{};
  std::vector<Series> series{};
  bool identity_line = false;  // draws y = x, such as the line of a perfectly calibrated model
};

/// Throws Error, naming chart and series, if x and y of a series differ in length, low or high are
/// neither empty nor as long as x, or a series has neither line, markers nor interval. Also throws
/// Error as check_axis does.
void check_chart(const Chart& chart);

/// True if point i of the series has a position on both axes.
bool is_drawn(const Chart& chart, const Series& series, std::size_t i);

/// True if the series has an interval at point i that can be drawn.
bool has_interval(const Chart& chart, const Series& series, std::size_t i);

/// True if no point and no interval of the series can be drawn.
bool is_empty(const Chart& chart, const Series& series);

struct ChartLimits {
  AxisLimits x, y;
};

/// Returns the limits of the axes (see axis_limits). The x axis spans everything that is drawn, the
/// y axis everything that is drawn within the limits of x. Throws Error as check_axis does.
ChartLimits chart_limits(const Chart& chart);

/// Describes a chart in words, for readers who do not see it: its axes with their ranges and the
/// labels of its series.
std::string describe_chart(const Chart& chart);

}  // namespace ultr
