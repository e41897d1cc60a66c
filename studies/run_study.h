#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "distributed/communicator.h"
#include "experiment/registry.h"
#include "studies/study.h"

namespace ultr {

/// In the folder of a study: a copy of its file; the overrides, one per line; and the points with
/// the folders of their runs.
inline constexpr const char *study_file = "study.yaml", *overrides_file = "overrides.txt",
                            *points_file = "points.txt";
/// There, too: the folder that the study's file was in.
inline constexpr const char* origin_file = "origin.txt";

/// The exit code of a study with a failed expectation.
inline constexpr int expectation_failed = 4;

/// Throws ConfigError for a name in expectations or figures that the study does not have, an axis
/// that is left open, and, unless its axes are narrowed by overrides, a value that is not run.
void check_study(const Study& study);

/// Runs a study: the runs that others need, those of tuning, and every point of its grid as
/// run_sweep does, then what is expected of the results and the figures. Points of the same
/// configuration and seed share a run. Names are checked, and all configurations, before anything
/// is loaded or created. Its folder (`output`, or runs/<name>/<n>) has a folder for each run,
/// study.yaml, results.json, report.html, expectations.md and figures/<name>.svg. Returns the exit
/// code: 0, 1 if a run failed, or else expectation_failed if an expectation failed or a number that
/// it needs is missing. If there are several `processes`, all must call this, and each does some of
/// the runs. Throws as read_study, check_study and run_sweep do.
int run_study(const std::filesystem::path& study, const std::vector<std::string>& overrides,
              Registry& registry, Communicator* processes = nullptr);

/// Resumes a study that was stopped, or evaluates a finished one again, with the expectations and
/// figures that study.yaml in its folder has now. Returns and throws as run_study.
int resume_study(const std::filesystem::path& folder, Registry& registry,
                 Communicator* processes = nullptr);

/// Checks a study as run_study does and prints how many runs it would do and what it expects;
/// creates nothing.
void print_study(const std::filesystem::path& study, const std::vector<std::string>& overrides,
                 Registry& registry);

}  // namespace ultr
