#pragma once

#include <span>
#include <string>

#include "report/chart.h"

/// Charts as SVG pictures. A picture is one <svg> element that stands alone as a file or inline in
/// HTML, as often as wanted in one page: it has no ids, scripts or external references. It scales
/// to the width that it is given, follows the reader's light or dark colour scheme, and is the same
/// string for the same chart, whatever the locale.
namespace ultr {

/// In CSS pixels at natural size. Meant for widths of 200 or more.
struct PictureSize {
  double width = 720;        // of the whole picture
  double plot_height = 300;  // of the area between the axes; titles, legends and labels come on top
};

/// Throws as check_chart does.
std::string render_chart(const Chart& chart, PictureSize size = {});

/// Charts as panels of one picture, row by row, with plot areas of one size. If all charts have the
/// same legend it is drawn once. There are fewer columns than asked for if panels would be narrower
/// than 140. Throws Error if there are no charts, and as check_chart does.
std::string render_panels(std::span<const Chart> charts, int columns, PictureSize size = {});

}  // namespace ultr
