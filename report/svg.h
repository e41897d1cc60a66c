#pragma once

#include <span>
#include <string>

#include "report/chart.h"

/// Charts as SVG pictures. A picture is one <svg> element that works as a file or inline in HTML,
/// any number of times in one page: it has no ids, scripts or external references. It scales to the
/// available width and follows the reader's light or dark colour scheme. The string depends on the
/// chart alone, not on the locale.
namespace ultr {

/// Natural size of a picture in CSS pixels. Designed for widths of 200 or more.
struct PictureSize {
  double width = 720;        // of the whole picture
  double plot_height = 300;  // of the area between the axes, without titles, legends and labels
};

/// Renders one chart. Throws Error as check_chart does.
std::string render_chart(const Chart& chart, PictureSize size = {});

/// Renders charts as panels of one picture, row by row, with plot areas of equal size. If all
/// charts have the same legend, it is drawn once. Uses fewer than `columns` columns if panels would
/// be narrower than 140 pixels. Throws Error if there are no charts, and as check_chart does.
std::string render_panels(std::span<const Chart> charts, int columns, PictureSize size = {});

}  // namespace ultr
