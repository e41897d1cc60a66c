#include "report/svg.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"
#include "report/markup.h"
#include "report/svg_legend.h"
#include "report/svg_plot.h"
#include "report/svg_style.h"
#include "report/text_layout.h"

namespace ultr {
namespace {

constexpr double title_line_height = 20, label_line_height = 17, y_label_gap = 11, panel_gap = 32,
                 row_gap = 26, narrowest_panel = 140;

/// Returns a name of the chart for screen readers: its title, or the labels of its axes.
std::string chart_name(const Chart& chart) {
  if (!chart.title.empty()) return chart.title;
  if (chart.y.label.empty() || chart.x.label.empty()) return chart.y.label + chart.x.label;
  return chart.y.label + " by " + chart.x.label;
}

/// Draws lines of text below (x, top), their upper left corner or the middle of their upper edge.
std::string draw_text(const std::vector<std::string>& lines, double x, double top,
                      double line_height, const char* attributes) {
  if (lines.empty()) return "";
  std::string svg = fmt::format("<g fill=\"currentColor\" {}>", attributes);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const double baseline = top + line_height * (static_cast<double>(i) + 0.75);
    svg += fmt::format("<text x=\"{}\" y=\"{}\">{}</text>", short_number(x), short_number(baseline),
                       escape_markup(lines[i]));
  }
  return svg + "</g>";
}

double text_height(const std::vector<std::string>& lines, double line_height, double gap) {
  return lines.empty() ? 0 : static_cast<double>(lines.size()) * line_height + gap;
}

/// Room for tick labels beside a plot area.
struct Margins {
  double left = 0, right = picture_edge;

  void include(const Chart& chart, PictureSize panel) {
    for (const Tick& tick : y_ticks(chart, panel.plot_height))
      left = std::max(left, text_width(tick.label, tick_font_size) + 8 + picture_edge);
    // Labels at the ends of the x axis extend beyond it by up to half their width.
    const double width = panel.width - left - right;
    const AxisLimits limits = chart_limits(chart).x;
    for (const Tick& tick : x_ticks(chart, width)) {
      const double half = text_width(tick.label, tick_font_size) / 2;
      const double x = width * axis_position(chart.x.scale, limits, tick.value);
      left = std::max(left, half - x);
      right = std::max(right, half - (width - x));
    }
  }
};

/// One chart of a picture and its room above and below the plot area.
struct Panel {
  const Chart* chart;
  std::vector<std::string> title, x_label, y_label;
  std::vector<LegendEntry> legend;
  double width, header, footer;

  Panel(const Chart& chart_in, double width_in, bool with_legend)
      : chart(&chart_in), width(width_in) {
    title = wrap_text(chart->title, title_font_size * bold_width, width);
    x_label = wrap_text(chart->x.label, label_font_size, width - 60);
    y_label = wrap_text(chart->y.label, label_font_size, width);
    if (with_legend) legend = legend_entries(*chart);
    header = text_height(title, title_line_height, 6) + legend_height() +
             text_height(y_label, label_line_height, y_label_gap);
    footer = tick_label_height + text_height(x_label, label_line_height, 6);
  }

  double legend_height() const {
    const int rows = legend_rows(legend, width);
    return rows == 0 ? 0 : rows * legend_row_height + 8;
  }

  /// Draws title and legend at the top of the header, the y label directly above the plot.
  std::string draw(double left, double top, double header_room, Margins margins,
                   double plot_height) const {
    std::string svg =
        draw_text(title, left, top, title_line_height, "font-size=\"15\" font-weight=\"600\"");
    if (!legend.empty())
      svg += draw_legend(legend, left, top + text_height(title, title_line_height, 6), width);
    const PlotArea area = {left + margins.left, top + header_room,
                           width - margins.left - margins.right, plot_height};
    svg += draw_text(y_label, left, area.top - text_height(y_label, label_line_height, y_label_gap),
                     label_line_height, "font-size=\"13\" fill-opacity=\".85\"");
    svg += draw_plot(*chart, area);
    return svg + draw_text(x_label, area.left + area.width / 2,
                           area.top + area.height + tick_label_height + 6, label_line_height,
                           "font-size=\"13\" fill-opacity=\".85\" text-anchor=\"middle\"");
  }
};

/// Returns the legend that all charts have, apart from intervals, which some may lack; empty if
/// there is none or only one chart.
std::vector<LegendEntry> shared_legend(std::span<const Chart> charts) {
  std::vector<LegendEntry> shared = legend_entries(charts.front());
  if (charts.size() < 2) return {};
  for (const Chart& chart : charts) {
    std::vector<LegendEntry> entries = legend_entries(chart);
    if (entries.size() != shared.size()) return {};
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const bool interval = entries[i].interval || shared[i].interval;
      entries[i].interval = shared[i].interval = interval;
      if (!(entries[i] == shared[i])) return {};
    }
  }
  return shared;
}

}  // namespace

std::string render_chart(const Chart& chart, PictureSize size) {
  return render_panels({&chart, 1}, 1, size);
}

std::string render_panels(std::span<const Chart> charts, int columns, PictureSize size) {
  if (charts.empty()) throw Error("a picture needs at least one chart");
  for (const Chart& chart : charts) check_chart(chart);
  const auto room = static_cast<int>((size.width + panel_gap) / (narrowest_panel + panel_gap));
  const int most = std::clamp(columns, 1, std::max(room, 1));
  const std::size_t per_row = std::min(static_cast<std::size_t>(most), charts.size());
  const auto gaps = static_cast<double>(per_row - 1) * panel_gap;
  const double panel_width = (size.width - gaps) / static_cast<double>(per_row);

  const std::vector<LegendEntry> legend = shared_legend(charts);
  std::vector<Panel> panels;
  std::string name, description;
  Margins margins;
  for (const Chart& chart : charts) {
    panels.emplace_back(chart, panel_width, legend.empty());
    margins.include(chart, {panel_width, size.plot_height});
    if (!name.empty()) name += "; ", description += " ";
    name += chart_name(chart);
    if (charts.size() > 1) description += chart_name(chart) + ": ";
    description += describe_chart(chart);
  }

  std::string content;
  double y = picture_edge;
  if (!legend.empty()) {
    content += draw_legend(legend, 0, y, size.width);
    y += legend_rows(legend, size.width) * legend_row_height + 14;
  }
  for (std::size_t row = 0; row < panels.size(); row += per_row) {
    const std::size_t end = std::min(row + per_row, panels.size());
    double header = 0, footer = 0;
    for (std::size_t i = row; i < end; ++i) {
      header = std::max(header, panels[i].header);
      footer = std::max(footer, panels[i].footer);
    }
    if (row > 0) y += row_gap;
    for (std::size_t i = row; i < end; ++i) {
      const double left = static_cast<double>(i - row) * (panel_width + panel_gap);
      content += panels[i].draw(left, y, header, margins, size.plot_height);
    }
    y += header + size.plot_height + footer;
  }
  return svg_picture(name, size.width, y + picture_edge, content, description);
}

}  // namespace ultr
