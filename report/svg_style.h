#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/chart.h"

/// The look of the series of a chart in SVG: colours, dashes and marker shapes.
namespace ultr {

/// Sizes shared by all pictures, in pixels: of letters, and of the empty margin around a picture.
inline constexpr double title_font_size = 15, label_font_size = 13, picture_edge = 4;
inline constexpr double bold_width = 1.12;  // width of bold letters relative to regular ones

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

/// The style sheet with the colours for dark pages, the same for all charts, so that a page may
/// have many: each colour keeps its hue and has a contrast of at least 4.5 to the page. A page can
/// set
/// --page to its background; by default charts assume white or nearly black.
inline constexpr std::string_view chart_stylesheet =
    ".ultr-chart{color-scheme:light dark;--halo:var(--page,#fff)}"
    ".ultr-chart .halo{stroke:var(--halo)}.ultr-chart .hollow{fill:var(--halo)}"
    "@media(prefers-color-scheme:dark){"
    ".ultr-chart{color:#f0f2f4;--halo:var(--page,#14171b)}"
    ".ultr-chart .blue{color:#1f86cc}.ultr-chart .vermillion{color:#e0691f}"
    ".ultr-chart .green{color:#12a67c}.ultr-chart .purple{color:#d98cb8}"
    ".ultr-chart .orange{color:#f5bf4a}.ultr-chart .sky-blue{color:#7cc8f5}"
    ".ultr-chart .gray{color:#7f8a95}}";

/// Returns the room above the content of a picture with this title, in one line.
inline double title_room(std::string_view title) { return title.empty() ? picture_edge : 28; }
/// Draws a title in one line at the top of a picture; nothing if it is empty.
std::string draw_title(std::string_view title, double width);

/// Wraps a picture's content into an <svg> element. `name` and the longer `description` are for
/// screen readers.
std::string svg_picture(std::string_view name, double width, double height,
                        std::string_view content, std::string_view description = {});

}  // namespace ultr
