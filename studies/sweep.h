#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "experiment/experiment_options.h"
#include "experiment/registry.h"
#include "experiment/run_directory.h"
#include "studies/sweep_grid.h"

namespace ultr {

/// In the folder of a sweep: the names of its runs' folders, a line each.
inline constexpr const char* sweep_file = "sweep.txt";

/// One run of several, its configuration resolved and its files located.
struct PlannedRun {
  std::string name;              // for messages
  std::filesystem::path folder;  // within that of all
  ExperimentOptions options;
};

/// The runs that the sweep_file of a folder lists. Throws DataError if it cannot be read, and
/// ConfigError for a wrong configuration.
std::vector<PlannedRun> planned_before(const std::filesystem::path& folder, Registry& registry);

/// Called when the folder is there, before the first run.
using FolderCreated = std::function<void(const RunDirectory&)>;

/// Does those of the runs, one at least, that have neither results nor failed.txt, each in its own
/// folder, with the threads of the first. Runs with the same data share it; of several kinds of
/// data, one is in memory at a time. Going on, failing and signals are as run_sweep says. Returns
/// how many have failed, now or before.
std::size_t run_planned(std::vector<PlannedRun>& runs, RunDirectory& folder,
                        const FolderCreated& created = {});

/// Runs every point of a grid, one after the other, each in its own folder below that of the sweep
/// (`output`, or runs/<name>/<n>), and ends in a comparison there. All configurations are checked,
/// and data files found, before anything is loaded or created. Runs with the same data share it; of
/// several kinds of data, one is in memory at a time, and its runs come first. A run that fails
/// says why in its failed.txt and in the comparison, and the others go on. Returns the exit code:
/// 0, or 1 if a run failed. Throws ConfigError for a wrong configuration, or two points that can
/// only have the same results; DataError for a missing file, or wrong data before the first run;
/// Interrupted, after a checkpoint of the run that it stops, if SIGINT or SIGTERM comes.
int run_sweep(const std::filesystem::path& config, const std::vector<SweepPoint>& grid,
              Registry& registry);

/// Goes on with a sweep that was stopped: runs that have neither results nor failed.txt go on from
/// their newest checkpoint, or begin if they have none; then comes the comparison. Returns and
/// throws as run_sweep; DataError if the folder is no sweep's.
int resume_sweep(const std::filesystem::path& sweep, Registry& registry);

/// Prints the resolved configurations of a sweep, each behind a comment that names it. Throws as
/// run_sweep does before it loads anything; creates nothing.
void print_sweep(const std::filesystem::path& config, const std::vector<SweepPoint>& grid,
                 Registry& registry);

}  // namespace ultr
