#pragma once

#include <string>
#include <vector>

#include "report/svg_style.h"

/// Legends of charts: rows of line samples with labels.
namespace ultr {

struct LegendEntry {
  std::string label;
  SeriesStyle style;
  LineStyle line = LineStyle::solid;
  bool markers = false, interval = false;
  bool identity = false;  // the line y = x

  bool operator==(const LegendEntry&) const = default;
};

/// Returns one entry per labelled series, and one for the line y = x if the chart has it. Series
/// without anything to draw are marked "(no data)".
std::vector<LegendEntry> legend_entries(const Chart& chart);

inline constexpr double legend_row_height = 20;

/// Returns the number of rows of a legend, with as many entries side by side as the width allows.
int legend_rows(const std::vector<LegendEntry>& entries, double width);

/// Draws the legend as SVG with its upper left corner at (left, top).
std::string draw_legend(const std::vector<LegendEntry>& entries, double left, double top,
                        double width);

}  // namespace ultr
