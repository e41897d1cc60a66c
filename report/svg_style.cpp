#include "report/svg_style.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "report/markup.h"
#include "report/text_layout.h"

namespace ultr {
namespace {

struct Paint {
  SeriesColor color;
  const char* name;   // CSS class
  const char* light;  // colour on white pages; null for the text colour
};
constexpr std::array<Paint, 8> palette = {{{SeriesColor::blue, "blue", "#0072B2"},
                                           {SeriesColor::vermillion, "vermillion", "#D55E00"},
                                           {SeriesColor::green, "green", "#009E73"},
                                           {SeriesColor::purple, "purple", "#CC79A7"},
                                           {SeriesColor::orange, "orange", "#E69F00"},
                                           {SeriesColor::sky_blue, "sky-blue", "#56B4E9"},
                                           {SeriesColor::black, "black", nullptr},
                                           {SeriesColor::gray, "gray", "#a9b1ba"}}};

}  // namespace

std::vector<SeriesStyle> series_styles(const Chart& chart) {
  std::vector<SeriesColor> available;
  for (const Paint& paint : palette)
    if (paint.color != SeriesColor::gray &&
        std::ranges::count(chart.series, paint.color, &Series::color) == 0)
      available.push_back(paint.color);
  if (available.empty()) available.push_back(SeriesColor::blue);
  std::vector<SeriesStyle> styles;
  std::size_t automatic = 0;
  for (const Series& series : chart.series) {
    SeriesStyle style;
    style.marker = static_cast<int>(styles.size());
    style.color = series.color;
    if (series.color == SeriesColor::automatic) {
      style.color = available[automatic % available.size()];
      style.repeated = automatic++ >= available.size();
    }
    styles.push_back(style);
  }
  return styles;
}

std::string color_attributes(SeriesColor color) {
  const auto& paint = *std::ranges::find(palette, color, &Paint::color);
  std::string attributes = fmt::format("class=\"{}\"", paint.name);
  if (paint.light) attributes += fmt::format(" color=\"{}\"", paint.light);
  return attributes;
}

std::string dash_attributes(LineStyle line, bool repeated) {
  if (line == LineStyle::dashed)
    return repeated ? " stroke-dasharray=\"7 4 1 4\"" : " stroke-dasharray=\"6 5\"";
  return repeated ? " stroke-dasharray=\"0.1 4\"" : "";
}

std::string marker_group(bool repeated) {
  return repeated
             ? "<g class=\"hollow\" fill=\"#fff\" stroke=\"currentColor\" stroke-width=\"1.75\">"
             : "<g class=\"halo\" fill=\"currentColor\" stroke=\"#fff\">";
}

std::string marker_path(int marker, double x, double y) {
  // The sizes give all shapes about the same area.
  const std::string move = "M" + short_number(x) + " ";
  switch (marker % 4) {
    case 0:
      return move + short_number(y - 4) + "a4 4 0 1 1 -.01 0z";
    case 1:
      return "M" + short_number(x - 3.5) + " " + short_number(y - 3.5) + "h7v7h-7z";
    case 2:
      return move + short_number(y - 5) + "l5 5-5 5-5-5z";
    default:
      return move + short_number(y - 5) + "l4.8 8.4h-9.6z";
  }
}

std::string draw_title(std::string_view title, double width) {
  if (title.empty()) return "";
  return fmt::format(
      "<text x=\"0\" y=\"18\" font-size=\"{}\" font-weight=\"600\" "
      "fill=\"currentColor\">{}</text>",
      title_font_size, escape_markup(shorten_text(title, title_font_size * bold_width, width)));
}

std::string svg_picture(std::string_view name, double width, double height,
                        std::string_view content, std::string_view description) {
  const std::string words =
      description.empty() ? "" : fmt::format("<desc>{}</desc>", escape_markup(description));
  return fmt::format(
      "<svg class=\"ultr-chart\" xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" "
      "viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" color=\"#1f2328\" "
      "font-family=\"-apple-system, 'Segoe UI', Inter, Roboto, 'Helvetica Neue', Arial, "
      "'Liberation Sans', sans-serif\"><title>{2}</title>{5}<style>{3}</style>{4}</svg>\n",
      short_number(width), short_number(height), escape_markup(name), chart_stylesheet, content,
      words);
}

}  // namespace ultr
