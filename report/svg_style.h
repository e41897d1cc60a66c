#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/chart.h"

/// The look of the series of a chart in SVG: colours, dashes and marker shapes.
namespace ultr {

/// Sizes shared by all pictures, in pixels: of letters, and of the empty margin around a picture.
inline constexpr double title_font_size = 15, label_font_size = 13, picture_edge = 4;

struct SeriesStyle {
  SeriesColor color = SeriesColor::blue;  // not automatic
  int marker = 0;                         // number of the series; four shapes take turns
  bool repeated = false;                  // the colour is used again: dotted lines, hollow markers

  bool operator==(const SeriesStyle&) const = default;
};

/// Returns one style per series of the chart.
std::vector<SeriesStyle> series_styles(const Chart& chart);

/// Returns the attributes of a group whose currentColor is the colour: the colour for white pages,
/// and a class by which the style sheet replaces it on dark pages.
std::string color_attributes(SeriesColor color);

/// Returns the dash attribute of a line, " stroke-dasharray=..." with a leading space; empty for a
/// plain line.
std::string dash_attributes(LineStyle line, bool repeated);

/// Returns the opening tag of a group of markers, which are hollow if the colour is repeated.
std::string marker_group(bool repeated);

/// Returns the path data of a marker at a point.
std::string marker_path(int marker, double x, double y);

/// Returns the CSS style sheet with the colours for dark pages. It is the same for all charts, so
/// that a page may have many. A page can set --page to its background; by default charts assume
/// white or nearly black.
std::string_view chart_stylesheet();

/// Wraps a picture's content into an <svg> element. `name` describes it to screen readers.
std::string svg_picture(std::string_view name, double width, double height,
                        std::string_view content);

}  // namespace ultr
