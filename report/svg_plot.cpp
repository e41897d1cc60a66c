#include "report/svg_plot.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/markup.h"
#include "report/svg_style.h"
#include "report/text_layout.h"

namespace ultr {
namespace {

bool is_empty(const Chart& chart) {
  return std::all_of(chart.series.begin(), chart.series.end(),
                     [&](const Series& series) { return is_empty(chart, series); });
}

/// Returns the command in front of point i of a path of lines.
const char* path_command(std::size_t i) { return i == 0 ? "M" : i == 1 ? "L" : " "; }

bool within(AxisLimits limits, double value) {
  return value >= limits.lower && value <= limits.upper;
}

/// Draws the plot of one chart into an area.
class Plot {
 public:
  Plot(const Chart& chart, PlotArea area)
      : chart_(chart),
        area_(area),
        limits_(chart_limits(chart)),
        x_ticks_(x_ticks(chart, area.width)),
        y_ticks_(y_ticks(chart, area.height)) {}

  std::string draw() {
    if (is_empty(chart_)) {
      draw_no_data();
    } else {
      draw_grid();
      draw_tick_labels();
      draw_lines();
      draw_all_markers();
    }
    return std::move(svg_);
  }

 private:
  double bottom() const { return area_.top + area_.height; }

  double x_at(double value) const {
    return area_.left + area_.width * bounded(axis_position(chart_.x.scale, limits_.x, value));
  }
  double y_at(double value) const {
    return bottom() - area_.height * bounded(axis_position(chart_.y.scale, limits_.y, value));
  }
  /// Clamps positions far outside the area, which are invisible anyway, to keep coordinates short.
  static double bounded(double position) { return std::clamp(position, -100.0, 100.0); }

  std::string point(double x, double y) const {
    return short_number(x_at(x)) + " " + short_number(y_at(y));
  }

  template <class... Arguments>
  void add(fmt::format_string<Arguments...> text, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(svg_), text, std::forward<Arguments>(arguments)...);
  }

  void draw_grid() {
    // The eye follows rows to read a value; columns and minor ticks are fainter.
    std::string rows, faint, marks;
    const std::string left = short_number(area_.left), top = short_number(area_.top),
                      width = short_number(area_.width), height = short_number(area_.height);
    for (const Tick& tick : y_ticks_)
      (tick.label.empty() ? faint : rows) +=
          fmt::format("M{} {}h{}", left, short_number(y_at(tick.value)), width);
    for (const Tick& tick : x_ticks_) {
      const std::string x = short_number(x_at(tick.value));
      if (!tick.label.empty()) faint += fmt::format("M{} {}v{}", x, top, height);
      marks += fmt::format("M{} {}v{}", x, short_number(bottom()), tick.label.empty() ? 3 : 5);
    }
    add("<g fill=\"none\" stroke=\"currentColor\"><path class=\"faint\" stroke-opacity=\".06\" "
        "d=\"{}\"/><path class=\"grid\" stroke-opacity=\".14\" d=\"{}\"/><path class=\"axis\" "
        "stroke-opacity=\".6\" d=\"M{} {}h{}{}\"/></g>",
        faint, rows, left, short_number(bottom()), width, marks);
  }

  void draw_tick_labels() {
    add("<g class=\"ticks\" font-size=\"{}\" fill=\"currentColor\" fill-opacity=\".72\">",
        tick_font_size);
    add("<g class=\"x-ticks\" text-anchor=\"middle\">");
    for (const Tick& tick : x_ticks_) {
      if (tick.label.empty()) continue;
      add("<text x=\"{}\" y=\"{}\">{}</text>", short_number(x_at(tick.value)),
          short_number(bottom() + 18), tick.label);
    }
    add("</g><g class=\"y-ticks\" text-anchor=\"end\">");
    for (const Tick& tick : y_ticks_) {
      if (tick.label.empty()) continue;
      add("<text x=\"{}\" y=\"{}\">{}</text>", short_number(area_.left - 8),
          short_number(y_at(tick.value) + 4), tick.label);
    }
    add("</g></g>");
  }

  void draw_no_data() {
    add("<path class=\"axis\" fill=\"none\" stroke=\"currentColor\" stroke-opacity=\".6\" d=\"M{} "
        "{}h{}\"/>",
        short_number(area_.left), short_number(bottom()), short_number(area_.width));
    add("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\" font-size=\"14\" fill=\"currentColor\" "
        "fill-opacity=\".6\">no data</text>",
        short_number(area_.left + area_.width / 2), short_number(area_.top + area_.height / 2));
  }

  /// Draws lines and intervals in an inner <svg>, which clips them. It is slightly larger than the
  /// area, so that a line along an edge keeps its full width.
  void draw_lines() {
    constexpr double margin = 1.5;
    const std::string x = short_number(area_.left - margin), y = short_number(area_.top - margin),
                      width = short_number(area_.width + 2 * margin),
                      height = short_number(area_.height + 2 * margin);
    add("<svg x=\"{0}\" y=\"{1}\" width=\"{2}\" height=\"{3}\" viewBox=\"{0} {1} {2} {3}\" "
        "fill=\"none\" stroke-width=\"2\" stroke-linejoin=\"round\">",
        x, y, width, height);
    if (chart_.identity_line) draw_identity_line();
    for (const bool intervals : {true, false}) {  // intervals below lines
      for (std::size_t i = 0; i < chart_.series.size(); ++i) {
        const Series& series = chart_.series[i];
        const std::string content = intervals ? interval_paths(series) : line_path(series, i);
        if (content.empty()) continue;
        add("<g {}>{}</g>", color_attributes(styles_[i].color), content);
      }
    }
    add("</svg>");
  }

  void draw_identity_line() {
    // The line is straight only if both scales are equal; else a polyline approximates the curve.
    const std::size_t pieces = chart_.x.scale == chart_.y.scale ? 1 : 64;
    const double first = std::max(limits_.x.lower, limits_.y.lower);
    const double last = std::min(limits_.x.upper, limits_.y.upper);
    std::string path;
    for (std::size_t i = 0; i <= pieces && first < last; ++i) {
      const double t = static_cast<double>(i) / static_cast<double>(pieces);
      const double value =
          first > 0 ? first * std::pow(last / first, t) : first + t * (last - first);
      path += path_command(i) + point(value, value);
    }
    if (path.empty()) return;
    add("<path class=\"identity\" d=\"{}\" stroke=\"currentColor\" stroke-opacity=\".5\" "
        "stroke-width=\"1.25\" stroke-dasharray=\"3 3\"/>",
        path);
  }

  /// Returns the translucent band, with bars at lone points and for series without a line.
  std::string interval_paths(const Series& series) const {
    std::string band, bars;
    const std::size_t size = series.low.size();
    const auto low_at = [&](std::size_t i) {
      const double low = series.low[i];
      return has_position(chart_.y.scale, low) ? low : limits_.y.lower;
    };
    for (std::size_t begin = 0, end = 0; begin < size; begin = end + 1) {
      for (end = begin; end < size && has_interval(chart_, series, end);) ++end;
      if (end == begin) continue;
      if (series.line != LineStyle::none && end - begin > 1) {
        for (std::size_t i = begin; i < end; ++i)
          band += path_command(i - begin) + point(series.x[i], series.high[i]);
        for (std::size_t i = end; i-- > begin;) band += " " + point(series.x[i], low_at(i));
        band += "z";
        continue;
      }
      for (std::size_t i = begin; i < end; ++i)
        bars += "M" + point(series.x[i], low_at(i)) + "V" + short_number(y_at(series.high[i]));
    }
    std::string paths;
    if (!band.empty())
      paths += fmt::format(
          "<path class=\"band\" d=\"{}\" fill=\"currentColor\" fill-opacity=\".2\"/>", band);
    if (!bars.empty())
      paths += fmt::format(
          "<path class=\"bars\" d=\"{}\" stroke=\"currentColor\" stroke-opacity=\".7\" "
          "stroke-width=\"1.5\"/>",
          bars);
    return paths;
  }

  std::string line_path(const Series& series, std::size_t index) const {
    if (series.line == LineStyle::none) return "";
    std::string path;
    std::size_t length = 0;  // points in the current piece
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      length = is_drawn(chart_, series, i) ? length + 1 : 0;
      if (length == 0 || is_isolated(series, i)) continue;
      path += path_command(length - 1) + point(series.x[i], series.y[i]);
    }
    if (path.empty()) return "";
    return fmt::format(
        "<path class=\"line\" d=\"{}\" stroke=\"currentColor\" stroke-linecap=\"round\"{}/>", path,
        dash_attributes(series.line, styles_[index].repeated));
  }

  /// True if both neighbours of a point are missing, so that no line reaches it: it gets a marker.
  bool is_isolated(const Series& series, std::size_t i) const {
    const bool before = i > 0 && is_drawn(chart_, series, i - 1);
    const bool after = i + 1 < series.x.size() && is_drawn(chart_, series, i + 1);
    return !before && !after;
  }

  void draw_all_markers() {
    for (std::size_t i = 0; i < chart_.series.size(); ++i) {
      const Series& series = chart_.series[i];
      std::string markers;
      for (std::size_t p = 0; p < series.x.size(); ++p) {
        const bool line = series.line != LineStyle::none;
        if (!is_drawn(chart_, series, p) || !within(limits_.x, series.x[p]) ||
            !within(limits_.y, series.y[p]) ||
            !(series.markers || (line && is_isolated(series, p)))) {
          continue;
        }
        markers += fmt::format("<path d=\"{}\"><title>{}</title></path>",
                               marker_path(styles_[i].marker, x_at(series.x[p]), y_at(series.y[p])),
                               escape_markup(tooltip(series, p)));
      }
      if (markers.empty()) continue;
      add("<g {}>{}{}</g></g>", color_attributes(styles_[i].color),
          marker_group(styles_[i].repeated), markers);
    }
  }

  std::string tooltip(const Series& series, std::size_t i) const {
    std::string text =
        fmt::format("{}x = {:.6g}, y = {:.6g}", series.label.empty() ? "" : series.label + ": ",
                    series.x[i], series.y[i]);
    if (has_interval(chart_, series, i))
      text += fmt::format(" [{:.6g}, {:.6g}]", series.low[i], series.high[i]);
    return text;
  }

  const Chart& chart_;
  PlotArea area_;
  ChartLimits limits_;
  std::vector<Tick> x_ticks_, y_ticks_;
  std::vector<SeriesStyle> styles_ = series_styles(chart_);
  std::string svg_;
};

}  // namespace

std::vector<Tick> y_ticks(const Chart& chart, double height) {
  return axis_ticks(chart.y, chart_limits(chart).y,
                    std::clamp(static_cast<int>(height / 38), 3, 12));
}

std::vector<Tick> x_ticks(const Chart& chart, double width) {
  const AxisLimits limits = chart_limits(chart).x;
  const auto overlap = [&](const std::vector<Tick>& ticks) {
    double end = -HUGE_VAL;
    for (const Tick& tick : ticks) {
      if (tick.label.empty()) continue;
      const double middle = width * axis_position(chart.x.scale, limits, tick.value);
      const double half = text_width(tick.label, tick_font_size) / 2 + 6;
      if (middle - half < end) return true;
      end = middle + half;
    }
    return false;
  };
  int most = std::clamp(static_cast<int>(width / 45), 3, 12);
  std::vector<Tick> ticks = axis_ticks(chart.x, limits, most);
  while (most > 2 && overlap(ticks)) ticks = axis_ticks(chart.x, limits, --most);
  return ticks;
}

std::string draw_plot(const Chart& chart, PlotArea area) { return Plot(chart, area).draw(); }

}  // namespace ultr
