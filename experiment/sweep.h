#pragma once

#include <filesystem>
#include <vector>

#include "experiment/registry.h"
#include "experiment/sweep_grid.h"

namespace ultr {

/// Runs every point of a grid, one after the other, each in its own folder below that of the sweep
/// (`output`, or runs/<name>/<n>), and ends in a comparison there. All configurations are checked,
/// and data files found, before anything is loaded or created. Runs with the same data share it; of
/// several kinds of data, one is in memory at a time, and its runs come first. A run that fails
/// says why in its failed.txt and in the comparison, and the others go on. Returns the exit code:
/// 0, or 1 if a run failed. Throws ConfigError for a wrong configuration, or two points that can
/// only have the same results; DataError for a missing file, or wrong data before the first run.
int run_sweep(const std::filesystem::path& config, const std::vector<SweepPoint>& grid,
              Registry& registry);

/// Prints the resolved configurations of a sweep, each behind a comment that names it. Throws as
/// run_sweep does before it loads anything; creates nothing.
void print_sweep(const std::filesystem::path& config, const std::vector<SweepPoint>& grid,
                 Registry& registry);

}  // namespace ultr
