#pragma once

#include <span>
#include <string>
#include <vector>

#include "report/chart.h"

/// Small multiples: curves that overlap in one chart, each in a panel of its own.
namespace ultr {

/// Gives the charts' x or y axes (&Chart::x or &Chart::y) the same limits, which hold everything
/// that any of the charts draws within its own. Throws Error as check_axis does.
void share_limits(std::span<Chart> charts, ChartAxis Chart::*axis);

/// Names of the parts that all panels have, for their shared legend.
struct PanelLegend {
  std::string curve = "estimate";     // the curve of the panel
  std::string others = "the others";  // the curves of the other panels
};

/// Returns one panel per coloured series of a chart, with its label as title and the other coloured
/// series in grey behind it. Black series, such as a truth, are in every panel. All panels have the
/// same axes and, if their curves have the same parts, the same legend. A chart with one coloured
/// series or none is returned as it is.
std::vector<Chart> panels_of_curves(const Chart& chart, const PanelLegend& legend);

/// Gives a chart a log y axis if that shows its curves better: if all their values are positive and
/// differ by a factor of 5 or more. The axis begins below the lowest of them, even if intervals
/// reach further down.
void use_log_axis(Chart& chart);

/// Returns the largest of the values, or a smaller one from which the largest are so far away that
/// they would squeeze the others: more than six times as far from the smallest as the largest of
/// the lower three quarters is. Of fewer than five values, none is far away. Values that are not
/// finite do not count; NaN if there are none.
double largest_usual(std::span<const double> values);

}  // namespace ultr
