#include "report/dot_plot.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/chart.h"
#include "report/markup.h"
#include "report/small_multiples.h"
#include "report/svg_plot.h"
#include "report/svg_style.h"
#include "report/text_layout.h"

namespace ultr {
namespace {

constexpr double mark_gap = 10, narrow_width = 480;

/// Returns a chart with the plot's axis and all its values, to compute limits and ticks with.
Chart chart_of(const DotPlot& plot) {
  Series all;
  for (const Dot& dot : plot.dots) {
    all.x.insert(all.x.end(), dot.parts.begin(), dot.parts.end());
    for (const double x : {dot.value, dot.low, dot.high}) all.x.push_back(x);
  }
  all.y.assign(all.x.size(), 0);
  Chart chart{.title = plot.title, .x = plot.x};
  chart.series.push_back(std::move(all));
  check_chart(chart);
  return chart;
}

/// Returns the width of the widest label or mark; emphasised ones are bold.
double widest(const std::vector<Dot>& dots, std::string Dot::*text) {
  double width = 0;
  for (const Dot& dot : dots)
    width = std::max(width,
                     text_width(dot.*text, label_font_size) * (dot.emphasized ? bold_width : 1.0));
  return width;
}

std::string describe(const DotPlot& plot) {
  std::vector<std::string> rows;
  for (const Dot& dot : plot.dots)
    if (std::isfinite(dot.value)) rows.push_back(fmt::format("{} {:.5g}", dot.label, dot.value));
  return fmt::format("{}: {}.", plot.x.label, fmt::join(rows, "; "));
}

class DotPicture {
 public:
  DotPicture(const DotPlot& plot, double width)
      : plot_(plot),
        chart_(chart_of(plot)),
        width_(width),
        label_width_(
            width < narrow_width ? 0 : std::min(widest(plot.dots, &Dot::label) + 1, 0.4 * width)),
        row_height_(width < narrow_width ? 44 : 28) {
    const double marks = widest(plot.dots, &Dot::mark);
    area_.left = label_width_ > 0 ? label_width_ + 14 : 14;
    area_.width = std::max(width - area_.left - 14 - (marks > 0 ? marks + mark_gap : 0), 1.0);
    area_.top = title_room(plot.title);
    area_.height = row_height_ * static_cast<double>(std::max<std::size_t>(plot.dots.size(), 1));
  }

  std::string draw() {
    svg_ += draw_title(plot_.title, width_);
    draw_axis();
    for (std::size_t i = 0; i < plot_.dots.size(); ++i) draw_row(plot_.dots[i], i);
    const double height = area_.top + area_.height + tick_label_height +
                          (plot_.x.label.empty() ? 0.0 : 22.0) + picture_edge;
    return svg_picture(plot_.title.empty() ? plot_.x.label : plot_.title, width_, height, svg_,
                       describe(plot_));
  }

 private:
  template <class... Arguments>
  void add(fmt::format_string<Arguments...> text, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(svg_), text, std::forward<Arguments>(arguments)...);
  }

  double x_at(double value) const {
    const double position = axis_position(plot_.x.scale, limits_.x, value);
    return area_.left + area_.width * std::clamp(position, 0.0, 1.0);
  }
  bool drawn(double value) const {
    return has_position(plot_.x.scale, value) && value >= limits_.x.lower &&
           value <= limits_.x.upper;
  }

  void draw_axis() {
    const double bottom = area_.top + area_.height;
    std::string grid, labels;
    for (const Tick& tick : x_ticks(chart_, area_.width)) {
      if (tick.label.empty()) continue;
      const std::string x = short_number(x_at(tick.value));
      grid += fmt::format("M{} {}v{}", x, short_number(area_.top), short_number(area_.height + 5));
      labels += fmt::format("<text x=\"{}\" y=\"{}\">{}</text>", x, short_number(bottom + 18),
                            tick.label);
    }
    add("<g fill=\"none\" stroke=\"currentColor\"><path class=\"grid\" stroke-opacity=\".14\" "
        "d=\"{}\"/><path class=\"axis\" stroke-opacity=\".6\" d=\"M{} {}h{}\"/></g>",
        grid, short_number(area_.left), short_number(bottom), short_number(area_.width));
    add("<g class=\"x-ticks\" font-size=\"{}\" fill=\"currentColor\" fill-opacity=\".72\" "
        "text-anchor=\"middle\">{}</g>",
        tick_font_size, labels);
    if (!plot_.x.label.empty())
      add("<text class=\"x-label\" x=\"{}\" y=\"{}\" font-size=\"{}\" fill=\"currentColor\" "
          "fill-opacity=\".85\" text-anchor=\"middle\">{}</text>",
          short_number(area_.left + area_.width / 2), short_number(bottom + tick_label_height + 16),
          label_font_size, escape_markup(shorten_text(plot_.x.label, label_font_size, width_)));
  }

  void draw_row(const Dot& dot, std::size_t row) {
    const double top = area_.top + row_height_ * static_cast<double>(row);
    const bool above = label_width_ == 0;
    const double y = top + (above ? row_height_ - 12 : row_height_ / 2);
    const double baseline = above ? top + 16 : y + 4.5;
    const double room = above ? width_ : label_width_;
    const char* weight = dot.emphasized ? " font-weight=\"600\"" : "";
    add("<g class=\"row\" font-size=\"{}\" fill=\"currentColor\"><title>{}</title>"
        "<text class=\"label\" x=\"0\" y=\"{}\"{}>{}</text>",
        label_font_size, escape_markup(tooltip(dot)), short_number(baseline), weight,
        escape_markup(
            shorten_text(dot.label, label_font_size * (dot.emphasized ? bold_width : 1.0), room)));
    if (!dot.mark.empty())
      add("<text class=\"mark\" x=\"{}\" y=\"{}\">{}</text>",
          short_number(area_.left + area_.width + mark_gap), short_number(y + 4.5),
          escape_markup(dot.mark));
    add("<g {}>", color_attributes(dot.emphasized ? SeriesColor::vermillion : SeriesColor::blue));
    if (has_position(plot_.x.scale, dot.low) && has_position(plot_.x.scale, dot.high))
      add("<path class=\"interval\" fill=\"none\" stroke=\"currentColor\" stroke-width=\"2\" "
          "d=\"M{} {}H{}\"/>",
          short_number(x_at(dot.low)), short_number(y), short_number(x_at(dot.high)));
    for (const double part : dot.parts)
      if (drawn(part))
        add("<circle class=\"part\" cx=\"{}\" cy=\"{}\" r=\"2.5\" fill=\"currentColor\" "
            "fill-opacity=\".35\"/>",
            short_number(x_at(part)), short_number(y));
    if (drawn(dot.value))
      add("{}<path class=\"dot\" d=\"{}\"/></g>", marker_group(false),
          marker_path(0, x_at(dot.value), y));
    if (has_position(plot_.x.scale, dot.value) && dot.value > limits_.x.upper)
      draw_far_value(dot.value, y);
    svg_ += "</g></g>";
  }

  /// Draws an arrow at the right edge for a value beyond it.
  void draw_far_value(double value, double y) {
    const double edge = area_.left + area_.width;
    add("<path class=\"far\" fill=\"none\" stroke=\"currentColor\" stroke-width=\"2\" "
        "d=\"M{0} {1}h10m-4-4l4 4-4 4\"/><text x=\"{2}\" y=\"{3}\" text-anchor=\"end\" "
        "fill-opacity=\".72\">{4:.4g}</text>",
        short_number(edge - 10), short_number(y), short_number(edge - 15), short_number(y + 4.5),
        value);
  }

  static std::string tooltip(const Dot& dot) {
    if (std::isnan(dot.value)) return fmt::format("{}: no result", dot.label);
    std::string text = fmt::format("{}: {:.6g}", dot.label, dot.value);
    if (std::isfinite(dot.low)) text += fmt::format(" [{:.6g}, {:.6g}]", dot.low, dot.high);
    return text;
  }

  const DotPlot& plot_;
  Chart chart_;
  ChartLimits limits_ = chart_limits(chart_);
  double width_, label_width_, row_height_;
  PlotArea area_;
  std::string svg_;
};

}  // namespace

void leave_out_far_values(DotPlot& plot) {
  std::vector<double> values;
  for (const Dot& dot : plot.dots) values.push_back(dot.value);
  const double most = largest_usual(values);
  if (std::ranges::none_of(values, [&](double value) { return value > most; })) return;
  double smallest = most, largest = most;
  for (const Dot& dot : plot.dots) {
    if (!(dot.value <= most)) continue;
    for (const double value : {dot.value, dot.low, dot.high}) {
      if (!std::isfinite(value)) continue;
      smallest = std::min(smallest, value);
      largest = std::max(largest, value);
    }
  }
  plot.x.upper = largest + 0.1 * (largest - smallest);
}

std::string render_dot_plot(const DotPlot& plot, double width) {
  return DotPicture(plot, width).draw();
}

}  // namespace ultr
