#pragma once

#include <string>
#include <vector>

#include "report/svg_style.h"

/// Legends: rows of line samples with labels.
namespace ultr {

struct LegendEntry {
  std::string label;
  SeriesStyle style;
  LineStyle line = LineStyle::solid;
  bool markers = false, interval = false;
  bool identity = false;  // the line y = x

  bool operator==(const LegendEntry&) const = default;
};

/// One entry for each labelled series, and one for the line y = x. Series without a point to draw
/// say so.
std::vector<LegendEntry> legend_entries(const Chart& chart);

inline constexpr double legend_row_height = 20;

/// Entries are laid side by side as the width allows.
int legend_rows(const std::vector<LegendEntry>& entries, double width);

/// SVG of the legend, of which (left, top) is the upper left corner.
std::string draw_legend(const std::vector<LegendEntry>& entries, double left, double top,
                        double width);

}  // namespace ultr
