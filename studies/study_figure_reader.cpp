#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text/quote.h"
#include "studies/study.h"
#include "studies/study_nodes.h"
#include "studies/sweep_grid.h"

namespace ultr {
namespace {

class FigureReader {
 public:
  FigureReader(const ConfigNode& node, const Study& study) : node_(node), study_(study) {}

  StudyFigure read(std::size_t number) {
    expect_study_keys(node_,
                      {"kind", "name", "title", "caption", "x", "x_values", "y", "lines", "panels",
                       "at", "reference", "labels", "log", "zero", "columns", "baseline", "level"},
                      "a figure");
    figure_.where = node_.where;
    figure_.name = sweep_folder_name(study_text(node_, "name", ""));
    if (figure_.name.empty()) figure_.name = fmt::format("figure-{}", number);
    figure_.title = study_text(node_, "title", "");
    figure_.caption = study_text(node_, "caption", "");
    read_kind();
    figure_.y = quantities("y");
    if (figure_.y.empty()) fail(node_, "a figure has no y; expected a measure or an expression");
    figure_.references = quantities("reference");
    figure_.x_values = quantities("x_values");
    read_axes();
    read_looks();
    read_baselines();
    return std::move(figure_);
  }

 private:
  void read_kind() {
    constexpr std::array<std::string_view, 3> kinds = {"lines", "dots", "table"};
    const std::string kind = study_text(node_, "kind", "lines");
    const auto found = std::ranges::find(kinds, kind);
    if (found == kinds.end())
      fail(*node_.find("kind"),
           fmt::format("kind is {}; expected one of {}", quote(kind), fmt::join(kinds, ", ")));
    figure_.kind = static_cast<FigureKind>(found - kinds.begin());
  }

  /// One expression, a list of them, or a section of labels with expressions.
  std::vector<StudyQuantity> quantities(std::string_view key) const {
    std::vector<StudyQuantity> read;
    const ConfigNode* const node = node_.find(key);
    if (node == nullptr) return read;
    if (node->kind == ConfigNode::Kind::map) {
      for (const auto& [label, value] : node->entries)
        read.push_back({parse_number(value.scalar, value.where), label});
      return read;
    }
    for (const std::string& text : study_texts(node_, key)) {
      const StudyMeasure* const measure = study_.find_measure(text);
      read.push_back({parse_number(text, node->where), measure == nullptr ? text : measure->label});
    }
    return read;
  }

  void read_axes() {
    const bool lines = figure_.kind == FigureKind::lines;
    figure_.x = study_text(node_, "x", "");
    if (lines && figure_.x.empty()) fail(node_, "a figure has no x; expected an axis, or rank");
    if (!lines && !figure_.x.empty())
      fail(*node_.find("x"), "dots and tables have no x; expected lines, the rows, and y");
    figure_.lines = study_texts(node_, "lines");
    figure_.panels = study_text(node_, "panels", "");
    // Several y need a place: the panels of lines and dots, and the columns of tables.
    const bool placed =
        figure_.panels == measure_axis || std::ranges::count(figure_.lines, measure_axis) > 0;
    if (figure_.y.size() > 1 && !placed && figure_.kind != FigureKind::table) {
      if (!figure_.panels.empty())
        fail(node_, "several y need a place; expected panels or lines by measure");
      figure_.panels = measure_axis;
    }
    read_selection();

    std::set<std::string> shown;
    const auto show = [&](const std::string& axis, std::string_view key) {
      if (axis.empty()) return;
      const bool special =
          (axis == rank_axis && key == "x") || (axis == measure_axis && key != "x");
      if (!special) expect_axis(axis, *node_.find(key));
      if (!shown.insert(axis).second)
        fail(*node_.find(key), fmt::format("axis {} is shown twice; expected it once", axis));
    };
    show(figure_.x, "x");
    for (const std::string& axis : figure_.lines) show(axis, "lines");
    show(figure_.panels, node_.find("panels") == nullptr ? "y" : "panels");
    if (lines && figure_.x != rank_axis) expect_numbers();
    if (!figure_.x_values.empty() && figure_.x != rank_axis)
      fail(*node_.find("x_values"), "x_values stand in the place of ranks; expected x: rank");
  }

  void read_selection() {
    const ConfigNode* const at = node_.find("at");
    if (at == nullptr) return;
    for (const auto& [axis, node] : study_map(*at, "at")) {
      expect_axis(axis, node);
      std::vector<std::string>& chosen =
          figure_.at.emplace_back(axis, study_texts(*at, axis)).second;
      const std::vector<std::string> known = study_.grid.values_of(axis);
      for (const std::string& value : chosen) {
        const bool there = std::ranges::any_of(
            known, [&](const std::string& other) { return same_axis_value(other, value); });
        if (!there && !study_.narrowed)
          fail(node, fmt::format("{} has no value {}; expected some of {}", axis, quote(value),
                                 fmt::join(known, ", ")));
      }
    }
  }

  void expect_axis(const std::string& axis, const ConfigNode& node) const {
    std::vector<std::string> names = study_.grid.axis_names();
    names.emplace_back(variant_axis);
    expect_known(node.where, "axis", axis, names);
  }

  void expect_numbers() const {
    for (const std::string& value : study_.grid.values_of(figure_.x))
      if (!std::isfinite(axis_number(value)))
        fail(*node_.find("x"), fmt::format("x is {}, which has the value {}; expected an axis of "
                                           "numbers, or dots with it as lines",
                                           figure_.x, quote(value)));
  }

  void read_looks() {
    if (const ConfigNode* labels = node_.find("labels")) {
      expect_study_keys(*labels, {"x", "y"}, "labels");
      figure_.x_label = study_text(*labels, "x", "");
      figure_.y_label = study_text(*labels, "y", "");
    }
    for (const std::string& axis : study_texts(node_, "log")) {
      if (axis != "x" && axis != "y")
        fail(*node_.find("log"), fmt::format("log is {}; expected x, y or both", quote(axis)));
      (axis == "x" ? figure_.log_x : figure_.log_y) = true;
    }
    figure_.zero_y = study_flag(node_, "zero");
    figure_.columns = static_cast<int>(study_number(node_, "columns", 2, 1, 6));
    figure_.level = study_number(node_, "level", 0.05, 1e-9, 0.5);
  }

  void read_baselines() {
    const ConfigNode* const node = node_.find("baseline");
    if (node == nullptr) return;
    if (figure_.kind == FigureKind::lines || figure_.lines.empty())
      fail(*node, "baseline goes with dots and tables that have lines");
    const std::vector<std::string> rows = study_.grid.values_of(figure_.lines.front());
    const auto expect_row = [&](const std::string& row) {
      if (std::ranges::count(rows, row) == 0 && !study_.narrowed)
        fail(*node, fmt::format("{} is no value of {}; expected some of {}", quote(row),
                                figure_.lines.front(), fmt::join(rows, ", ")));
    };
    if (node->kind == ConfigNode::Kind::scalar) {
      expect_row(node->scalar);
      for (const std::string& row : rows) figure_.baselines.emplace_back(row, node->scalar);
      return;
    }
    for (const auto& [row, baseline] : study_map(*node, "baseline")) {
      expect_row(row);
      expect_row(baseline.scalar);
      figure_.baselines.emplace_back(row, baseline.scalar);
    }
  }

  [[noreturn]] static void fail(const ConfigNode& at, const std::string& what) {
    throw ConfigError(fmt::format("{}: {}", at.where, what));
  }

  const ConfigNode& node_;
  const Study& study_;
  StudyFigure figure_;
};

}  // namespace

std::vector<StudyFigure> read_study_figures(const ConfigNode& node, const Study& study) {
  if (node.kind != ConfigNode::Kind::list)
    throw ConfigError(node.where + ": figures is no list; expected a list of figures");
  std::vector<StudyFigure> figures;
  std::set<std::string> names;
  for (const ConfigNode& item : node.items) {
    figures.push_back(FigureReader(item, study).read(figures.size() + 1));
    if (!names.insert(figures.back().name).second)
      throw ConfigError(fmt::format("{}: two figures have the name {}; expected different ones",
                                    item.where, quote(figures.back().name)));
  }
  return figures;
}

}  // namespace ultr
