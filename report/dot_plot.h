#pragma once

#include <limits>
#include <string>
#include <vector>

#include "report/axis.h"

namespace ultr {

/// A row of a dot plot.
struct Dot {
  std::string label;
  double value = 0;  // not drawn if it has no position on the axis; NaN: there is no result
  /// Ends of an interval around the value, drawn as a bar; NaN for no interval.
  double low = std::numeric_limits<double>::quiet_NaN();
  double high = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> parts{};  // values behind the mean `value`, drawn as small faint dots
  std::string mark{};           // a word or sign at the end of the row
  bool emphasized = false;      // drawn in another colour, such as the baseline of a comparison
};

/// Named values in rows on one axis, each a dot with its interval. It shows what a bar chart shows,
/// but stays readable if differences are small relative to the values.
struct DotPlot {
  std::string title{};
  ChartAxis x{};
  std::vector<Dot> dots{};  // from top to bottom
};

/// Ends the axis of a plot at the largest usual value (see largest_usual), so that few values that
/// are far away do not squeeze the others.
void leave_out_far_values(DotPlot& plot);

/// Renders the plot as one <svg> element with the properties that report/svg.h describes. `width`:
/// in CSS pixels. Labels are left of the axis or, in plots narrower than 480, above their rows.
/// Labels that are too long are cut; the tooltip has the whole label. A value above a fixed upper
/// limit of the axis is an arrow at its edge, with the value beside it. Throws Error as check_axis
/// does.
std::string render_dot_plot(const DotPlot& plot, double width = 720);

}  // namespace ultr
