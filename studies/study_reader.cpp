#include <algorithm>
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

std::vector<StudyMeasure> read_measures(const ConfigNode* node) {
  std::vector<StudyMeasure> measures;
  if (node == nullptr || node->kind == ConfigNode::Kind::empty) return measures;
  for (const auto& [name, value] : study_map(*node, "measures")) {
    StudyMeasure measure{.name = name, .path = {}, .label = name, .where = value.key_where};
    if (value.kind == ConfigNode::Kind::map) {
      expect_study_keys(value, {"path", "label"}, "measure " + name);
      measure.path = study_text(value, "path");
      measure.label = study_text(value, "label", name);
    } else {
      measure.path = value.scalar;
    }
    // What stands in an expression must be a name there.
    const StudyExpression parsed = parse_number(name, value.key_where);
    if (parsed.name != name || !parsed.conditions.empty())
      throw ConfigError(
          fmt::format("{}: {} cannot name a measure; expected letters, digits, _ and @",
                      value.key_where, quote(name)));
    if (measure.path.empty())
      throw ConfigError(fmt::format(
          "{}: measure {} has no path; expected one in results.json, such as test.cond_ppl",
          value.key_where, name));
    measures.push_back(std::move(measure));
  }
  return measures;
}

std::vector<StudyExpectation> read_expectations(const ConfigNode* node) {
  std::vector<StudyExpectation> expectations;
  if (node == nullptr || node->kind == ConfigNode::Kind::empty) return expectations;
  if (node->kind != ConfigNode::Kind::list)
    throw ConfigError(node->where + ": expect is no list; expected a list of claims");
  for (const ConfigNode& item : node->items) {
    StudyExpectation& expectation =
        expectations.emplace_back(StudyExpectation{.claim = {}, .why = {}, .where = item.where});
    std::string text = item.scalar;
    if (item.kind == ConfigNode::Kind::map) {
      expect_study_keys(item, {"that", "why"}, "an expectation");
      text = study_text(item, "that");
      expectation.why = study_text(item, "why", "");
    }
    expectation.claim = parse_claim(text, item.where);
  }
  return expectations;
}

/// Reads the experiments that the runs of a study need. Their names name folders.
std::vector<std::pair<std::string, ConfigNode>> read_first_runs(const ConfigNode& node) {
  std::vector<std::pair<std::string, ConfigNode>> first;
  for (const auto& [name, config] : study_map(node, "first")) {
    if (!is_study_name(name))
      throw ConfigError(
          fmt::format("{}: {} cannot name a run; expected letters, digits, _ and @, no digit first",
                      config.key_where, quote(name)));
    study_map(config, "first run " + name);
    first.emplace_back(name, config);
  }
  return first;
}

/// Returns the number of a fresh run.
std::int64_t fresh_run(const std::string& given, const std::string& where) {
  const double number = axis_number(given);
  constexpr double most = 1e6;
  if (!(number >= 0 && number <= most && number == std::floor(number)))
    throw ConfigError(fmt::format("{}: fresh is {}; expected a whole number from 0 to 1000000",
                                  where, quote(given)));
  return static_cast<std::int64_t>(number);
}

/// Lets overrides change the axes, the output and the experiment's options.
void apply_overrides(const std::vector<std::string>& overrides, Study& study) {
  study.overrides = overrides;
  const std::vector<std::string> axes = study.grid.all_axis_names();
  std::set<std::string> set_by_axes;
  for (const StudyVariant& variant : study.grid.variants)
    for (const StudyAxis& axis : variant.axes)
      for (const StudyAxisValue& value : axis.values)
        for (const StudySetting& setting : value.settings)
          if (setting.key != axis.name) set_by_axes.insert(setting.key);
  std::vector<std::string> narrowing;
  for (const std::string& assignment : overrides) {
    const auto [key, values] = sweep_axis(assignment);
    const std::string where = "option " + quote(assignment);
    if (key == variant_axis || std::ranges::count(axes, key) > 0) {
      narrowing.push_back(assignment);
      continue;
    }
    if (values.size() > 1)
      throw ConfigError(fmt::format(
          "{}: {} is no axis of the study; expected one value, or values of {} or variant", where,
          quote(key), fmt::join(axes, ", ")));
    if (set_by_axes.contains(key))
      throw ConfigError(fmt::format(
          "{}: {} is set by an axis of the study; expected values of the axis", where, quote(key)));
    if (key == "fresh") {
      study.fresh = fresh_run(values.front(), where);
    } else if (key == "output") {
      ConfigNode given;
      given.kind = ConfigNode::Kind::map;
      override_config(given, assignment);
      study.output = given.find(key)->scalar;
    } else {
      study.option_overrides.push_back(assignment);
    }
  }
  for (const std::string& assignment : narrowing) study.grid.override_axis(assignment);
  study.narrowed = !narrowing.empty();
}

/// Throws ConfigError if a variant has a section `tune` although the study has none.
void expect_no_tuning(const StudyGrid& grid) {
  for (const StudyVariant& variant : grid.variants)
    if (!variant.tune.empty())
      throw ConfigError(fmt::format(
          "{}: variant {} has a section tune and the study none; expected one of the study, too",
          variant.tune.front().where, variant.name));
}

/// Throws ConfigError if an override sets an option that the study tunes.
void expect_untuned(const Study& study) {
  std::vector<std::string> tuned;
  for (const TuningStage& stage : study.tuning)
    std::ranges::move(stage.keys(), std::back_inserter(tuned));
  for (const std::string& assignment : study.option_overrides)
    if (const std::string key = sweep_axis(assignment).key; std::ranges::count(tuned, key) > 0)
      throw ConfigError(fmt::format("option {}: {} is tuned by the study; expected another option",
                                    quote(assignment), quote(key)));
}

}  // namespace

Study read_study(const std::filesystem::path& file, const std::vector<std::string>& overrides) {
  const ConfigNode config = read_config(file);
  expect_study_keys(config,
                    {"study", "title", "paper", "first", "experiment", "grid", "variants", "tune",
                     "over", "measures", "expect", "figures"},
                    "a study");
  Study study;
  study.file = file;
  study.folder = file.parent_path();
  study.name = study_text(config, "study");
  if (study.name.empty() || study.name.find('/') != std::string::npos ||
      study.name.starts_with('.'))
    throw ConfigError(
        fmt::format("{}: study is {}; expected a name without '/' that does not start with a dot, "
                    "since it names a folder",
                    config.find("study")->where, quote(study.name)));
  study.title = study_text(config, "title", study.name);
  study.paper = study_text(config, "paper", "");

  const ConfigNode* const experiment = config.find("experiment");
  if (experiment == nullptr || experiment->kind != ConfigNode::Kind::map)
    throw ConfigError(fmt::format("{}: experiment is {}; expected a configuration of ultr-run",
                                  experiment == nullptr ? file.string() : experiment->where,
                                  experiment == nullptr ? "missing" : "no section"));
  study.experiment = *experiment;
  if (const ConfigNode* const first = config.find("first")) study.first = read_first_runs(*first);
  study.grid = read_study_grid(config.find("grid"), config.find("variants"));
  study.grid.over = study_texts(config, "over");
  for (const std::string& axis : study.grid.over)
    expect_known(config.find("over")->where, "axis", axis, study.grid.all_axis_names());
  const StudyGrid whole = study.grid;
  apply_overrides(overrides, study);
  if (const ConfigNode* const tune = config.find("tune"))
    study.tuning = read_study_tuning(*tune, whole, study.grid);
  else
    expect_no_tuning(whole);
  expect_untuned(study);
  study.points = study.grid.points();
  for (const StudyPoint& point : study.points)
    if (std::ranges::count(study.seeds, point.seed()) == 0) study.seeds.push_back(point.seed());
  if (study.seeds.size() > 1) std::erase(study.seeds, "");  // variants without the axis

  study.measures = read_measures(config.find("measures"));
  for (const StudyMeasure& measure : study.measures)
    for (const StudyVariant& variant : study.grid.variants)
      if (variant.name == measure.name)
        throw ConfigError(fmt::format("{}: measure {} has the name of a variant; expected another",
                                      measure.where, measure.name));
  study.expectations = read_expectations(config.find("expect"));
  if (const ConfigNode* figures = config.find("figures");
      figures != nullptr && figures->kind != ConfigNode::Kind::empty)
    study.figures = read_study_figures(*figures, study);
  return study;
}

}  // namespace ultr
