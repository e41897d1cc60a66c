#pragma once

#include <filesystem>
#include <vector>

#include "studies/comparison.h"

namespace ultr {

/// What `ultr-run compare` does: reads the runs in the given folders (see read_runs), prints their
/// comparison and, unless `output` is empty, writes comparison.html, .csv and .json there. Returns
/// the exit code 0. Throws as read_runs and compare do, and ConfigError if `output` cannot be a
/// folder.
int compare_runs(const std::vector<std::filesystem::path>& folders,
                 const ComparisonOptions& options, const std::filesystem::path& output);

}  // namespace ultr
