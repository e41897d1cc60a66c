#pragma once

#include <filesystem>
#include <vector>

#include "experiment/registry.h"
#include "studies/planned_runs.h"
#include "studies/sweep_grid.h"

namespace ultr {

/// Runs every point of a grid as run_planned does, each in its own folder below that of the sweep
/// (`output`, or runs/<name>/<n>), and ends in a comparison there. All configurations are checked,
/// and data files found, before anything is loaded or created. Returns the exit code: 0, or 1 if a
/// run failed. If there are several `processes`, all must call this, and each does some of the
/// runs. Throws as run_planned, DataError for a missing file, and ConfigError for a wrong
/// configuration or two points that can only have the same results.
int run_sweep(const std::filesystem::path& config, const std::vector<SweepPoint>& grid,
              Registry& registry, Communicator* processes = nullptr);

/// Resumes a sweep that was stopped: runs that have neither results nor failed.txt resume at their
/// newest checkpoint, or start if they have none; then comes the comparison. Returns and throws as
/// run_sweep; DataError if the folder is no sweep's.
int resume_sweep(const std::filesystem::path& sweep, Registry& registry,
                 Communicator* processes = nullptr);

/// Prints the resolved configurations of a sweep, each behind a comment that names it. Throws as
/// run_sweep does before it loads anything; creates nothing.
void print_sweep(const std::filesystem::path& config, const std::vector<SweepPoint>& grid,
                 Registry& registry);

}  // namespace ultr
