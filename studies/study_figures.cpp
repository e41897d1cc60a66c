#include "studies/study_figures.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "metrics/significance.h"
#include "report/svg.h"

namespace ultr {
namespace {

/// A place in a figure: values of axes, and which y.
struct FigurePlace {
  StudyScope scope;
  std::size_t y = 0;
  std::string label;
  std::string row;  // the value of the first axis of lines
};

/// A number over seeds.
struct SeedSummary {
  std::vector<std::pair<std::string, double>> by_seed;

  std::vector<double> numbers() const {
    std::vector<double> numbers;
    for (const auto& [seed, value] : by_seed) numbers.push_back(value);
    return numbers;
  }
  double mean() const {
    double sum = 0;
    for (const auto& [seed, value] : by_seed) sum += value;
    return by_seed.empty() ? std::numeric_limits<double>::quiet_NaN()
                           : sum / static_cast<double>(by_seed.size());
  }
  /// With divisor n - 1; NaN of fewer than two.
  double standard_deviation() const {
    double squares = 0;
    for (const auto& [seed, value] : by_seed) squares += (value - mean()) * (value - mean());
    return by_seed.size() < 2 ? std::numeric_limits<double>::quiet_NaN()
                              : std::sqrt(squares / static_cast<double>(by_seed.size() - 1));
  }
  bool has_interval() const {
    return by_seed.size() > 1 && std::all_of(by_seed.begin(), by_seed.end(), [](const auto& value) {
             return std::isfinite(value.second);
           });
  }
};

class FigurePainter {
 public:
  FigurePainter(const Study& study, const StudyFigure& figure, const StudyValues& values)
      : study_(study), figure_(figure), values_(values), evaluator_(study, values) {
    for (const auto& [axis, chosen] : figure.at)
      if (chosen.size() == 1) fixed_.emplace_back(axis, chosen.front());
    panels_ = along(figure.panels, {FigurePlace{.scope = fixed_, .label = {}, .row = {}}});
  }

  StudyPicture draw() {
    StudyPicture picture;
    if (figure_.kind == FigureKind::lines) {
      ReportFigure charts{.charts = {}, .columns = figure_.columns, .caption = figure_.caption};
      for (const FigurePlace& panel : panels_) charts.charts.push_back(chart(panel));
      picture.svg = render_panels(charts.charts, charts.columns);
      picture.blocks.emplace_back(std::move(charts));
    } else if (figure_.kind == FigureKind::dots) {
      count_tests();
      for (const FigurePlace& panel : panels_) {
        ReportDotPlot dots{dot_plot(panel), &panel == &panels_.back() ? caption() : ""};
        picture.svg += render_dot_plot(dots.plot);
        picture.blocks.emplace_back(std::move(dots));
      }
      if (panels_.size() > 1) picture.svg.clear();  // a file is one picture
    } else {
      count_tests();
      for (const FigurePlace& panel : panels_) picture.blocks.emplace_back(table(panel));
    }
    if (points_ == 0 && values_.are_open() && !study_.narrowed)
      throw ConfigError(figure_.where + ": the figure shows nothing that is run");
    return picture;
  }

 private:
  // Places --------------------------------------------------------------------------------------

  /// The values of an axis that the figure shows.
  std::vector<std::string> shown_values(const std::string& axis) const {
    std::vector<std::string> shown;
    for (const std::string& value : study_.grid.values_of(axis)) {
      bool chosen = true;
      for (const auto& [selected, values] : figure_.at)
        if (selected == axis)
          chosen = std::any_of(values.begin(), values.end(), [&](const std::string& other) {
            return same_axis_value(value, other);
          });
      if (chosen) shown.push_back(value);
    }
    return shown;
  }

  /// Each place for each value of an axis; the same places without one.
  std::vector<FigurePlace> along(const std::string& axis,
                                 const std::vector<FigurePlace>& places) const {
    if (axis.empty()) return places;
    std::vector<FigurePlace> more;
    for (const FigurePlace& place : places) {
      const auto add = [&](const std::string& label) -> FigurePlace& {
        FigurePlace& added = more.emplace_back(place);
        added.label += (added.label.empty() ? "" : ", ") + label;
        return added;
      };
      if (axis == measure_axis) {
        for (std::size_t y = 0; y < figure_.y.size(); ++y) {
          FigurePlace& added = add(figure_.y[y].label);
          added.y = y;
          if (added.row.empty()) added.row = figure_.y[y].label;
        }
        continue;
      }
      for (const std::string& value : shown_values(axis)) {
        FigurePlace& added =
            add(axis == variant_axis ? value : fmt::format("{} = {}", axis, value));
        added.scope.emplace_back(axis, value);
        if (added.row.empty()) added.row = value;
      }
    }
    return more;
  }

  std::vector<FigurePlace> lines_of(const FigurePlace& panel) const {
    FigurePlace start = panel;
    start.label.clear();
    start.row.clear();
    std::vector<FigurePlace> lines = {start};
    for (const std::string& axis : figure_.lines) lines = along(axis, lines);
    return lines;
  }

  SeedSummary summary(const StudyExpression& expression, const StudyScope& scope) {
    SeedSummary summary{evaluator_.by_seed(expression, scope, figure_.where)};
    points_ += summary.by_seed.size();
    return summary;
  }

  // Lines ---------------------------------------------------------------------------------------

  /// Where the points of a line are: their x, and the value that the axis x has there.
  std::vector<std::pair<double, std::string>> places_on_x(const StudyExpression& y,
                                                          const StudyScope& scope) const {
    std::vector<std::pair<double, std::string>> places;
    if (figure_.x != rank_axis) {
      for (const std::string& value : shown_values(figure_.x))
        places.emplace_back(axis_number(value), value);
      return places;
    }
    const std::size_t length = evaluator_.list_length(y, scope, figure_.where);
    for (std::size_t rank = 1; rank <= length; ++rank) {
      const std::string value = std::to_string(rank);
      double x = static_cast<double>(rank);
      if (!figure_.x_values.empty()) {
        StudyScope at_rank = scope;
        at_rank.emplace_back(rank_axis, value);
        const SeedSummary found{
            evaluator_.by_seed(figure_.x_values.front().expression, at_rank, figure_.where)};
        x = found.mean();
      }
      places.emplace_back(x, value);
    }
    return places;
  }

  Series line(const StudyExpression& y, const StudyScope& scope, bool with_interval) {
    Series series;
    for (const auto& [x, value] : places_on_x(y, scope)) {
      StudyScope here = scope;
      here.emplace_back(figure_.x, value);
      const SeedSummary found = summary(y, here);
      if (found.by_seed.empty()) continue;
      series.x.push_back(x);
      series.y.push_back(found.mean());
      if (!with_interval) continue;
      const ConfidenceInterval interval = found.has_interval()
                                              ? bootstrap_interval(found.numbers())
                                              : ConfidenceInterval{found.mean(), found.mean()};
      any_interval_ |= found.has_interval();
      series.low.push_back(interval.lower);
      series.high.push_back(interval.upper);
    }
    return series;
  }

  Chart chart(const FigurePlace& panel) {
    Chart chart{.title = panel.label};
    if (panels_.size() == 1 && chart.title.empty()) chart.title = figure_.title;
    chart.x = {.label = figure_.x_label.empty() ? figure_.x : figure_.x_label,
               .scale = figure_.log_x ? AxisScale::log : AxisScale::linear,
               .integer = figure_.x == rank_axis && figure_.x_values.empty()};
    std::string y_label = figure_.y_label;
    if (y_label.empty() && (figure_.y.size() == 1 || figure_.panels == measure_axis))
      y_label = figure_.y[panel.y].label;
    chart.y = {.label = y_label,
               .scale = figure_.log_y ? AxisScale::log : AxisScale::linear,
               .include_zero = figure_.zero_y};
    const std::vector<FigurePlace> lines = lines_of(panel);
    for (const FigurePlace& place : lines) {
      any_interval_ = false;
      Series series = line(figure_.y[place.y].expression, place.scope, true);
      series.label = place.label;
      constexpr std::size_t most_markers = 25;
      series.markers = series.x.size() <= most_markers;
      if (!any_interval_) {
        series.low.clear();
        series.high.clear();
      }
      chart.series.push_back(std::move(series));
    }
    for (const StudyQuantity& reference : figure_.references) {
      if (lines.empty()) break;
      Series series = reference_line(reference.expression, lines.front());
      series.label = reference.label;
      series.line = LineStyle::dashed;
      if (figure_.references.size() == 1) series.color = SeriesColor::black;
      chart.series.push_back(std::move(series));
    }
    return chart;
  }

  /// Of a number that is no list: where the first line of the panel is.
  Series reference_line(const StudyExpression& reference, const FigurePlace& first) {
    const bool ranks = figure_.x == rank_axis &&
                       evaluator_.list_length(reference, first.scope, figure_.where) == 0;
    if (!ranks) return line(reference, first.scope, false);
    Series series;
    for (const auto& [x, value] : places_on_x(figure_.y[first.y].expression, first.scope)) {
      StudyScope here = first.scope;
      here.emplace_back(rank_axis, value);
      series.x.push_back(x);
      series.y.push_back(summary(reference, here).mean());
    }
    return series;
  }

  // Rows ----------------------------------------------------------------------------------------

  /// Bonferroni's correction needs the number of tests before the first.
  void count_tests() {
    for (const FigurePlace& panel : panels_)
      for (const FigurePlace& row : lines_of(panel))
        for (std::size_t y = 0; y < figure_.y.size(); ++y)
          if ((figure_.kind == FigureKind::table || y == row.y) && test(row, y)) ++tests_;
  }

  /// A row against its baseline; none if it has none, or fewer than two seeds.
  std::optional<PairedTTest> test(const FigurePlace& row, std::size_t y) {
    const auto found = std::find_if(figure_.baselines.begin(), figure_.baselines.end(),
                                    [&](const auto& pair) { return pair.first == row.row; });
    if (found == figure_.baselines.end() || found->second == row.row) return std::nullopt;
    StudyScope base = row.scope;
    for (auto& [axis, value] : base)
      if (axis == figure_.lines.front()) value = found->second;
    const SeedSummary mine = summary(figure_.y[y].expression, row.scope);
    const SeedSummary other = summary(figure_.y[y].expression, base);
    std::vector<double> a, b;
    for (const auto& [seed, value] : mine.by_seed)
      for (const auto& [other_seed, other_value] : other.by_seed)
        if (seed == other_seed && std::isfinite(value) && std::isfinite(other_value)) {
          a.push_back(value);
          b.push_back(other_value);
        }
    if (a.size() < 2) return std::nullopt;
    return paired_t_test(a, b);
  }

  std::string mark(const FigurePlace& row, std::size_t y) {
    const std::optional<PairedTTest> made = test(row, y);
    if (!made || bonferroni(made->p_value, std::max<std::size_t>(1, tests_)) >= figure_.level)
      return "";
    return made->mean_difference > 0 ? "▲" : "▼";
  }

  DotPlot dot_plot(const FigurePlace& panel) {
    DotPlot plot{.title = panels_.size() > 1 ? panel.label : figure_.title, .x = {}};
    plot.x = {.label = figure_.y_label.empty() ? figure_.y[panel.y].label : figure_.y_label,
              .scale = figure_.log_y ? AxisScale::log : AxisScale::linear,
              .include_zero = figure_.zero_y};
    for (const FigurePlace& row : lines_of(panel)) {
      const SeedSummary found = summary(figure_.y[row.y].expression, row.scope);
      Dot dot{.label = row.label, .value = found.mean()};
      if (found.has_interval()) {
        const ConfidenceInterval interval = bootstrap_interval(found.numbers());
        dot.low = interval.lower;
        dot.high = interval.upper;
        dot.parts = found.numbers();
      }
      dot.mark = mark(row, row.y);
      dot.emphasized = std::any_of(figure_.baselines.begin(), figure_.baselines.end(),
                                   [&](const auto& pair) { return pair.second == row.row; });
      plot.dots.push_back(std::move(dot));
    }
    return plot;
  }

  ReportTable table(const FigurePlace& panel) {
    ReportTable table{.header = {fmt::format("{}", fmt::join(figure_.lines, ", "))}, .rows = {}};
    for (const StudyQuantity& y : figure_.y) table.header.push_back(y.label);
    for (const FigurePlace& row : lines_of(panel)) {
      std::vector<std::string>& cells = table.rows.emplace_back();
      cells.push_back(row.label);
      for (std::size_t y = 0; y < figure_.y.size(); ++y) {
        const SeedSummary found = summary(figure_.y[y].expression, row.scope);
        std::string cell = number_or_dash(found.mean());
        if (found.by_seed.size() > 1)
          cell += fmt::format(" ({})", number_or_dash(found.standard_deviation()));
        if (const std::string sign = mark(row, y); !sign.empty()) cell += " " + sign;
        cells.push_back(std::move(cell));
      }
    }
    table.caption = panel.label.empty() ? caption() : panel.label + ". " + caption();
    return table;
  }

  std::string caption() const {
    std::string text = figure_.caption;
    if (tests_ == 0) return text;
    return text + fmt::format(
                      "{}▲ above and ▼ below the baseline by a two-sided paired t-test over "
                      "seeds at level {}, corrected for {} tests (Bonferroni).",
                      text.empty() ? "" : " ", figure_.level, tests_);
  }

  const Study& study_;
  const StudyFigure& figure_;
  const StudyValues& values_;
  StudyEvaluator evaluator_;
  StudyScope fixed_;
  std::vector<FigurePlace> panels_;
  std::size_t points_ = 0, tests_ = 0;
  bool any_interval_ = false;
};

}  // namespace

StudyPicture draw_figure(const Study& study, const StudyFigure& figure, const StudyValues& values) {
  return FigurePainter(study, figure, values).draw();
}

}  // namespace ultr
