#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/chart.h"

/// How the series of a chart look: colours, dashes and marker shapes, in terms of SVG.
namespace ultr {

/// Sizes that all pictures have in common, in pixels: of letters, and of the free edge around.
inline constexpr double title_font_size = 15, label_font_size = 13, picture_edge = 4;

struct SeriesStyle {
  SeriesColor color = SeriesColor::blue;  // not automatic
  int marker = 0;                         // shape; as many as colours, then they repeat
  bool repeated = false;                  // the colour was used before: dotted, hollow

  bool operator==(const SeriesStyle&) const = default;
};

/// One style for each series of the chart.
std::vector<SeriesStyle> series_styles(const Chart& chart);

/// Attributes of a group in which currentColor is the series' colour: a class, by which the style
/// sheet swaps the colour on dark pages, and the colour for white ones.
std::string color_attributes(SeriesColor color);

/// Attributes of a line ("stroke-dasharray=..."), with a space in front; empty for a plain one.
std::string dash_attributes(LineStyle line, bool repeated);

/// Opening tag of a group of markers, which differ in shape, and are hollow when repeated.
std::string marker_group(bool repeated);

/// Path data of a marker at a point.
std::string marker_path(int marker, double x, double y);

/// The style sheet of a chart (CSS): colours for dark pages. The same in all charts, so that many
/// can stand in one page. A page may set --page to its background; else it is taken as white or
/// nearly black.
std::string_view chart_stylesheet();

/// The <svg> element around a picture's content, with a name for readers who cannot see it.
std::string svg_picture(std::string_view name, double width, double height,
                        std::string_view content);

}  // namespace ultr
