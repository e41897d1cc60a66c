#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "experiment/registry.h"
#include "studies/planned_runs.h"
#include "studies/study.h"

/// Plans the runs of a study: those that come first, those of tuning, and those of its points.
namespace ultr {

/// In the folder of a study: that of the runs that come first.
inline constexpr const char* first_folder = "first";

/// Returns the runs that some points of a study need. Points with the same configuration and seed,
/// such as those without compression for two methods of compression, share a run and its folder.
/// `folder`: that of the study, in which the first runs are; empty while there is none. Throws
/// ConfigError, with the name of the run, for a wrong configuration.
std::vector<PlannedRun> plan_points(const Study& study, std::vector<StudyPoint>& points,
                                    const std::filesystem::path& folder, Registry& registry);

/// Returns the runs that come first. Throws as plan_points does.
std::vector<PlannedRun> plan_first_runs(const Study& study, Registry& registry);

/// Returns the runs of tuning and adds options to the settings of the points as if the first
/// candidates were chosen in each stage. Throws as plan_points does.
std::vector<PlannedRun> plan_tuning(Study& study, Registry& registry);

/// Adds the options that a stage has chosen to the settings of later stages' and the study's
/// points.
void apply_stage(std::size_t stage, const std::vector<TunedOptions>& tuned, Study& study);

/// Returns the folder of the runs of a stage of tuning, within that of the study: tuning, or
/// tuning/1 if there are several.
std::filesystem::path folder_of_stage(std::size_t stage, const Study& study);

/// Returns the lines of points_file: the points with the folders of their runs.
std::string points_text(const std::vector<StudyPoint>& points);

/// Gives the points the folders that they had when the runs of `file`, a points_file, were begun.
/// Throws ConfigError, which names the study's file, for other points.
void restore_folders(const std::filesystem::path& file, const Study& study,
                     std::vector<StudyPoint>& points);

}  // namespace ultr
