#pragma once

#include <limits>
#include <string>
#include <vector>

#include "report/axis.h"

namespace ultr {

/// A row of a dot plot.
struct Dot {
  std::string label;
  double value = 0;  // not drawn if it has no position on the axis (NaN)
  /// Ends of an interval around the value, drawn as a bar; NaN: none.
  double low = std::numeric_limits<double>::quiet_NaN();
  double high = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> parts{};  // what the value is the mean of, drawn as small faint dots
  std::string mark{};           // a word or sign behind the row
  bool emphasized = false;      // in another colour, such as the row that others are compared with
};

/// Named values below each other on one axis, each a dot with its interval: what a bar chart shows,
/// but readable where differences are small beside the values.
struct DotPlot {
  std::string title{};
  ChartAxis x{};
  std::vector<Dot> dots{};  // from the top
};

/// The plot as one <svg> element with the properties that report/svg.h states. Labels stand left of
/// the axis, or above their rows where the width is less than 480; one that is too long is cut, and
/// whole in the tooltip. Throws Error as check_axis does.
std::string render_dot_plot(const DotPlot& plot, double width = 720);

}  // namespace ultr
