#include "studies/study_plan.h"

#include <algorithm>
#include <fstream>
#include <map>

#include <fmt/core.h>

#include "base/error.h"
#include "experiment/resolve_options.h"

namespace ultr {
namespace {

namespace fs = std::filesystem;

/// Raises every seed in a configuration: of the experiment, of made-up lists, of users.
void raise_seeds(ConfigNode& node, std::int64_t by) {
  for (auto& [key, value] : node.entries) {
    if (key == seed_axis && value.kind == ConfigNode::Kind::scalar)
      value.scalar = fmt::format("{}", std::stoll(value.scalar) + by);
    raise_seeds(value, by);
  }
  for (ConfigNode& item : node.items) raise_seeds(item, by);
}

/// Replaces the names of first runs by their folders or, while there are none, by a file that is
/// there.
void name_first_runs(ConfigNode& node, const Study& study, const fs::path& folder) {
  for (const auto& [name, config] : study.first)
    if (const fs::path run = fs::path(first_folder) / name; node.scalar == run.string())
      node.scalar = fs::absolute(folder.empty() ? study.file : folder / run).string();
  for (auto& [key, value] : node.entries) name_first_runs(value, study, folder);
  for (ConfigNode& item : node.items) name_first_runs(item, study, folder);
}

/// Returns the options of one run of a study, with the seeds of its fresh run and files located.
ExperimentOptions options_of(const ConfigNode& config, const Study& study, Registry& registry) {
  ExperimentOptions options = resolve_options(config, study.folder, study.name, registry);
  if (study.fresh > 0) {
    // Resolved options have all seeds, also those that the study leaves at their defaults.
    ConfigNode resolved = parse_config(saved_config(options), study.file.string());
    raise_seeds(resolved, study.fresh * fresh_stride);
    options = resolve_options(resolved, study.folder, study.name, registry);
  }
  options.locate_files(study.folder);
  return options;
}

[[noreturn]] void fail_in_run(const ConfigError& error, const std::string& name) {
  throw ConfigError(fmt::format("{} (run {})", error.what(), name));
}

}  // namespace

std::vector<PlannedRun> plan_points(const Study& study, std::vector<StudyPoint>& points,
                                    const fs::path& folder, Registry& registry) {
  std::vector<PlannedRun> runs;
  std::map<std::pair<OptionValues, std::int64_t>, std::string> folders;
  for (StudyPoint& point : points) try {
      ConfigNode config = study.configuration(point);
      name_first_runs(config, study, folder);
      ExperimentOptions options = options_of(config, study, registry);
      const auto [same, is_new] = folders.emplace(result_identity(options), point.folder);
      point.folder = same->second;
      if (is_new) runs.push_back({point.name, point.folder, std::move(options)});
    } catch (const ConfigError& error) {
      fail_in_run(error, point.name);
    }
  return runs;
}

std::vector<PlannedRun> plan_first_runs(const Study& study, Registry& registry) {
  std::vector<PlannedRun> runs;
  for (const auto& [name, given] : study.first) try {
      ConfigNode config = given;
      for (const std::string& assignment : study.option_overrides)
        if (assignment.starts_with("threads=")) override_config(config, assignment);
      runs.push_back({name, name, options_of(config, study, registry)});
    } catch (const ConfigError& error) {
      fail_in_run(error, name);
    }
  return runs;
}

std::vector<PlannedRun> plan_tuning(Study& study, Registry& registry) {
  std::vector<PlannedRun> runs;
  for (std::size_t s = 0; s < study.tuning.size(); ++s) {
    std::ranges::move(plan_points(study, study.tuning[s].points, {}, registry),
                      std::back_inserter(runs));
    apply_stage(s, choose_options(study.tuning[s], {}), study);
  }
  return runs;
}

void apply_stage(std::size_t stage, const std::vector<TunedOptions>& tuned, Study& study) {
  for (std::size_t later = stage + 1; later < study.tuning.size(); ++later)
    apply_tuning(tuned, study.tuning[later]);
  apply_tuning(tuned, study.points);
}

fs::path folder_of_stage(std::size_t stage, const Study& study) {
  const fs::path tuning = "tuning";
  return study.tuning.size() == 1 ? tuning : tuning / std::to_string(stage + 1);
}

std::string points_text(const std::vector<StudyPoint>& points) {
  std::string text;
  for (const StudyPoint& point : points) text += fmt::format("{}\t{}\n", point.name, point.folder);
  return text;
}

void restore_folders(const fs::path& file, const Study& study, std::vector<StudyPoint>& points) {
  std::ifstream lines(file);
  for (StudyPoint& point : points) {
    std::string line;
    std::getline(lines, line);
    const std::size_t tab = line.find('\t');
    if (tab == std::string::npos || line.substr(0, tab) != point.name)
      throw ConfigError(fmt::format(
          "{}: run {} is not one of those that were begun; expected the same axes and variants",
          study.file.string(), point.name));
    point.folder = line.substr(tab + 1);
  }
}

}  // namespace ultr
