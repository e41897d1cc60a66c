#include "studies/study_figures.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/svg.h"

namespace ultr {
namespace {

/// A place in a figure: values of axes, and which y.
struct FigurePlace {
  StudyCoordinates scope;
  std::size_t y = 0;
  std::string label;
  std::string row;  // the value of the first axis of lines
};

class FigurePainter {
 public:
  FigurePainter(const StudyFigure& figure, const StudyTable& table)
      : figure_(figure), table_(table) {
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
    if (points_ == 0 && table_.is_open() && !table_.study.narrowed)
      throw ConfigError(figure_.where + ": the figure shows nothing that is run");
    return picture;
  }

 private:
  // Places --------------------------------------------------------------------------------------

  /// Returns the values of an axis that the figure shows.
  std::vector<std::string> shown_values(const std::string& axis) const {
    std::vector<std::string> shown = table_.study.grid.values_of(axis);
    for (const auto& [selected, chosen] : figure_.at)
      if (selected == axis)
        std::erase_if(shown, [&values = chosen](const std::string& value) {
          return std::ranges::none_of(
              values, [&](const std::string& other) { return same_axis_value(value, other); });
        });
    return shown;
  }

  /// Returns each place with each value of an axis; without an axis, the places themselves.
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

  NumbersBySeed numbers(const StudyExpression& expression, const StudyCoordinates& scope) {
    NumbersBySeed found = numbers_by_seed(expression, scope, table_, figure_.where);
    points_ += found.single.size() + found.by_rank.size();
    return found;
  }

  // Lines ---------------------------------------------------------------------------------------

  /// Returns the points of a line. Points without results are left out.
  Series line(const StudyExpression& y, const StudyCoordinates& scope, bool with_interval) {
    Series series;
    bool any_interval = false;
    const auto add = [&](double x, const SeedValues& values) {
      if (values.empty()) return;
      const SeedSummary found = summarize_seeds(values);
      const ConfidenceInterval none{found.mean, found.mean};
      any_interval |= found.interval.has_value();
      series.x.push_back(x);
      series.y.push_back(found.mean);
      series.low.push_back(found.interval.value_or(none).lower);
      series.high.push_back(found.interval.value_or(none).upper);
    };
    if (figure_.x == rank_axis) {
      const std::vector<SeedValues> found = numbers(y, scope).by_rank;
      const std::vector<double> places = places_of_ranks(found.size(), scope);
      for (std::size_t r = 0; r < places.size(); ++r) add(places[r], found[r]);
    } else {
      for (const std::string& value : shown_values(figure_.x))
        add(axis_number(value), numbers(y, with(scope, figure_.x, value)).single);
    }
    if (any_interval && with_interval) return series;
    series.low.clear();
    series.high.clear();
    return series;
  }

  std::vector<double> places_of_ranks(std::size_t ranks, const StudyCoordinates& scope) const {
    std::vector<double> places;
    if (figure_.x_values.empty()) {
      places.resize(ranks);
      std::iota(places.begin(), places.end(), 1.0);
      return places;
    }
    const NumbersBySeed x =
        numbers_by_seed(figure_.x_values.front().expression, scope, table_, figure_.where);
    for (std::size_t r = 0; r < std::min(ranks, x.by_rank.size()); ++r)
      places.push_back(summarize_seeds(x.by_rank[r]).mean);
    return places;
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
      Series series = line(figure_.y[place.y].expression, place.scope, true);
      series.label = place.label;
      constexpr std::size_t most_markers = 25;
      series.markers = series.x.size() <= most_markers;
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

  /// Returns a line at the first combination of axes. Without ranks it is level.
  Series reference_line(const StudyExpression& reference, const FigurePlace& first) {
    Series series = line(reference, first.scope, false);
    if (figure_.x != rank_axis || !series.x.empty()) return series;
    series.x = line(figure_.y[first.y].expression, first.scope, false).x;
    series.y.assign(series.x.size(), summarize_seeds(numbers(reference, first.scope).single).mean);
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

  /// Tests a row against its baseline, if it has one and two seeds.
  std::optional<SeedTest> test(const FigurePlace& row, std::size_t y) {
    const auto found =
        std::ranges::find(figure_.baselines, row.row, [](const auto& pair) { return pair.first; });
    if (found == figure_.baselines.end() || found->second == row.row) return std::nullopt;
    StudyCoordinates base = row.scope;
    for (auto& [axis, value] : base)
      if (axis == figure_.lines.front()) value = found->second;
    return test_seeds(numbers(figure_.y[y].expression, row.scope).single,
                      numbers(figure_.y[y].expression, base).single);
  }

  std::string mark(const FigurePlace& row, std::size_t y) {
    const std::optional<SeedTest> made = test(row, y);
    if (!made || made->corrected(tests_) >= figure_.level) return "";
    return made->t_test.mean_difference > 0 ? "▲" : "▼";
  }

  DotPlot dot_plot(const FigurePlace& panel) {
    DotPlot plot{.title = panels_.size() > 1 ? panel.label : figure_.title, .x = {}};
    plot.x = {.label = figure_.y_label.empty() ? figure_.y[panel.y].label : figure_.y_label,
              .scale = figure_.log_y ? AxisScale::log : AxisScale::linear,
              .include_zero = figure_.zero_y};
    for (const FigurePlace& row : lines_of(panel)) {
      const SeedSummary found =
          summarize_seeds(numbers(figure_.y[row.y].expression, row.scope).single);
      Dot dot{.label = row.label, .value = found.mean};
      if (found.interval) {
        dot.low = found.interval->lower;
        dot.high = found.interval->upper;
        for (const auto& [seed, value] : found.by_seed) dot.parts.push_back(value);
      }
      dot.mark = mark(row, row.y);
      dot.emphasized = std::ranges::any_of(
          figure_.baselines, [&](const auto& pair) { return pair.second == row.row; });
      plot.dots.push_back(std::move(dot));
    }
    return plot;
  }

  ReportTable table(const FigurePlace& panel) {
    ReportTable table{.header = {fmt::format("{}", fmt::join(figure_.lines, ", "))}, .rows = {}};
    for (const StudyQuantity& y : figure_.y) table.header.push_back(y.label);
    for (const FigurePlace& row : lines_of(panel)) {
      std::vector<ReportCell>& cells = table.rows.emplace_back();
      cells.emplace_back(row.label);
      for (std::size_t y = 0; y < figure_.y.size(); ++y) {
        const SeedSummary found =
            summarize_seeds(numbers(figure_.y[y].expression, row.scope).single);
        std::string cell = number_or_dash(found.mean);
        if (found.by_seed.size() > 1)
          cell += fmt::format(" ({})", number_or_dash(found.standard_deviation));
        if (const std::string sign = mark(row, y); !sign.empty()) cell += " " + sign;
        cells.emplace_back(std::move(cell));
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

  const StudyFigure& figure_;
  const StudyTable& table_;
  StudyCoordinates fixed_;
  std::vector<FigurePlace> panels_;
  std::size_t points_ = 0, tests_ = 0;
};

}  // namespace

StudyPicture draw_figure(const StudyFigure& figure, const StudyTable& table) {
  return FigurePainter(figure, table).draw();
}

}  // namespace ultr
