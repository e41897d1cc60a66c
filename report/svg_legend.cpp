#include "report/svg_legend.h"

#include <algorithm>

#include <fmt/format.h>

#include "report/markup.h"
#include "report/text_layout.h"

namespace ultr {
namespace {

constexpr double entry_font_size = 13, sample_width = 26, sample_gap = 7, entry_gap = 22;

double label_width(const LegendEntry& entry, double width) {
  return std::min(text_width(entry.label, entry_font_size), width - sample_width - sample_gap);
}

/// Calls place(entry, x, row) for every entry. Returns the number of rows.
template <class Place>
int lay_out(const std::vector<LegendEntry>& entries, double width, Place&& place) {
  double x = 0;
  int row = 0;
  for (const LegendEntry& entry : entries) {
    const double needed = sample_width + sample_gap + label_width(entry, width);
    if (x > 0 && x + needed > width) {
      x = 0;
      ++row;
    }
    place(entry, x, row);
    x += needed + entry_gap;
  }
  return entries.empty() ? 0 : row + 1;
}

std::string draw_sample(const LegendEntry& entry, double left, double middle) {
  const std::string x = short_number(left), y = short_number(middle);
  if (entry.identity)
    return fmt::format(
        "<path d=\"M{} {}h{}\" stroke=\"currentColor\" stroke-opacity=\".5\" "
        "stroke-width=\"1.25\" stroke-dasharray=\"3 3\"/>",
        x, y, sample_width);
  std::string svg = fmt::format("<g {}>", color_attributes(entry.style.color));
  if (entry.interval && entry.line == LineStyle::none) {
    svg += fmt::format(
        "<path d=\"M{} {}v14\" stroke=\"currentColor\" stroke-width=\"1.5\" "
        "stroke-opacity=\".7\"/>",
        short_number(left + sample_width / 2), short_number(middle - 7));
  } else if (entry.interval) {
    svg += fmt::format("<path d=\"M{} {}h{}v12h-{}z\" fill=\"currentColor\" fill-opacity=\".2\"/>",
                       x, short_number(middle - 6), sample_width, sample_width);
  }
  if (entry.line != LineStyle::none)
    svg += fmt::format(
        "<path d=\"M{} {}h{}\" stroke=\"currentColor\" stroke-width=\"2\" "
        "stroke-linecap=\"round\"{}/>",
        short_number(left + 1), y, sample_width - 2,
        dash_attributes(entry.line, entry.style.repeated));
  if (entry.markers)
    svg += fmt::format("{}<path d=\"{}\"/></g>", marker_group(entry.style.repeated),
                       marker_path(entry.style.marker, left + sample_width / 2, middle));
  return svg + "</g>";
}

}  // namespace

std::vector<LegendEntry> legend_entries(const Chart& chart) {
  const std::vector<SeriesStyle> styles = series_styles(chart);
  std::vector<LegendEntry> entries;
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    const Series& series = chart.series[i];
    if (series.label.empty()) continue;
    const std::string note = is_empty(chart, series) ? " (no data)" : "";
    entries.push_back(
        {series.label + note, styles[i], series.line, series.markers, !series.low.empty(), false});
  }
  if (chart.identity_line) {
    LegendEntry identity;
    identity.label = "y = x";
    identity.identity = true;
    entries.push_back(identity);
  }
  return entries;
}

int legend_rows(const std::vector<LegendEntry>& entries, double width) {
  return lay_out(entries, width, [](const LegendEntry&, double, int) {});
}

std::string draw_legend(const std::vector<LegendEntry>& entries, double left, double top,
                        double width) {
  std::string svg = fmt::format("<g class=\"legend\" font-size=\"{}\">", entry_font_size);
  lay_out(entries, width, [&](const LegendEntry& entry, double x, int row) {
    const double middle = top + (row + 0.5) * legend_row_height;
    const double room = label_width(entry, width);
    svg += draw_sample(entry, left + x, middle);
    svg +=
        fmt::format("<text x=\"{}\" y=\"{}\" fill=\"currentColor\">{}</text>",
                    short_number(left + x + sample_width + sample_gap), short_number(middle + 4.5),
                    escape_markup(shorten_text(entry.label, entry_font_size, room)));
  });
  return svg + "</g>";
}

}  // namespace ultr
