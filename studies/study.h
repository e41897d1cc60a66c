#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "experiment/replaced_sections.h"
#include "studies/study_expression.h"
#include "studies/study_grid.h"
#include "studies/study_tuning.h"

/// A study: an experiment with different options, its measures, claims and figures.
/// docs/studies.md documents its file.
namespace ultr {

/// A name for a number, or a list, in results.json.
struct StudyMeasure {
  std::string name;
  std::string path;   // "test.ranking.ndcg@10"
  std::string label;  // in figures
  std::string where{};
};

/// A claim about the results.
struct StudyExpectation {
  StudyClaim claim;
  std::string why;  // may be empty
  std::string where;
};

/// A number that a figure shows.
struct StudyQuantity {
  StudyExpression expression;
  std::string label;
};

/// The form of a figure.
enum class FigureKind { lines, dots, table };

/// A picture, or a table.
struct StudyFigure {
  FigureKind kind = FigureKind::lines;
  std::string name;  // of its file
  std::string title, caption, where;
  std::vector<StudyQuantity> y;
  std::string x;                          // an axis, or rank
  std::vector<StudyQuantity> x_values{};  // one or none: what stands in the place of a rank
  std::vector<std::string> lines;         // axes: a line (or row) for each combination of values
  std::string panels;                     // an axis, `measure` for y, or empty
  /// The values of axes that it shows: one, which fixes the axis, or several.
  std::vector<std::pair<std::string, std::vector<std::string>>> at;
  std::vector<StudyQuantity> references;  // dashed
  std::string x_label, y_label;
  bool log_x = false, log_y = false, zero_y = false;
  int columns = 2;  // of panels
  /// The baselines of rows: (row, its baseline), by names of the first axis of `lines`; a
  /// row that is its own baseline is not tested.
  std::vector<std::pair<std::string, std::string>> baselines;
  double level = 0.05;  // of these tests, all of one figure together
};

/// Distance between the seeds of two fresh runs of a study: more than studies have seeds.
inline constexpr std::int64_t fresh_stride = 1000;

/// The axis of the y of a figure.
inline constexpr const char* measure_axis = "measure";

struct Study {
  std::filesystem::path file;
  std::filesystem::path folder;  // in which files that options name are looked up first
  std::string name, title, paper;
  std::string output;  // its folder; empty: runs/<name>/<n>
  ConfigNode experiment;
  StudyGrid grid;
  std::vector<StudyPoint> points;  // of the grid
  /// Experiments whose runs the others need, such as the click models that users follow: (name,
  /// configuration). Options with the text "first/<name>" name their folders.
  std::vector<std::pair<std::string, ConfigNode>> first;
  std::vector<TuningStage> tuning;  // one stage after the other; may be none
  std::vector<std::string> seeds;   // in order of appearance; "" alone without an axis of seeds
  std::vector<StudyMeasure> measures;
  std::vector<StudyExpectation> expectations;
  std::vector<StudyFigure> figures;
  std::vector<std::string> overrides;  // as they were given
  /// Those of the experiment's options, which hold over what axes and variants set.
  std::vector<std::string> option_overrides;
  bool narrowed = false;  // overrides changed an axis: expected runs may be missing
  /// Number of a fresh run, which raises every seed of the study by fresh_stride each; 0: none.
  std::int64_t fresh = 0;

  /// Returns the measure with this name, or null.
  const StudyMeasure* find_measure(std::string_view wanted) const {
    const auto found = std::ranges::find(measures, wanted, &StudyMeasure::name);
    return found == measures.end() ? nullptr : &*found;
  }
  /// Returns the experiment with all settings of a point. An analysis that they choose takes the
  /// place of the experiment's sections that it replaces.
  ConfigNode configuration(const StudyPoint& point) const {
    ConfigNode config = experiment;
    if (std::ranges::count(point.settings, "analysis", &StudySetting::key) > 0)
      std::erase_if(config.entries, [](const ConfigNode::Entry& entry) {
        return std::ranges::count(replaced_by_analysis, entry.key) > 0;
      });
    for (const StudySetting& setting : point.settings)
      override_config(config, setting.key, setting.value, setting.value.where);
    for (const std::string& assignment : option_overrides) override_config(config, assignment);
    return config;
  }
};

/// Reads a study. Overrides are "axis=value,value", "variant=name,name", "output=folder",
/// "fresh=number", and "key=value" with dotted keys of the experiment's options. Throws ConfigError
/// (file, line, column) for what is wrong in it except in the experiment's options, which are read
/// when its runs are planned. Names in expectations and figures are checked by check_study.
Study read_study(const std::filesystem::path& file, const std::vector<std::string>& overrides);

/// Reads the list of figures of a study whose grid and measures are read. Throws ConfigError (file,
/// line, column) for a wrong form, an axis or a value that the study does not have, and an axis
/// that a figure neither shows nor fixes.
std::vector<StudyFigure> read_study_figures(const ConfigNode& node, const Study& study);

/// Returns true if a configuration is a study: it has the key `study`.
inline bool is_study(const ConfigNode& config) { return config.find("study") != nullptr; }

}  // namespace ultr
