#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "experiment/experiment_options.h"

namespace ultr {

/// Resolves a configuration (resolve_options) for a command that has no sweeps. Throws ConfigError
/// if the overrides make a sweep, or if the configuration is an analysis.
ExperimentOptions resolve_single(const std::filesystem::path& config,
                                 const std::vector<std::string>& overrides, Registry& registry);

/// Resolves a configuration (resolve_single) for a command that reads only training sessions, and
/// locates their files. Throws DataError if one is missing.
ExperimentOptions resolve_training_data(const std::filesystem::path& config,
                                        const std::vector<std::string>& overrides,
                                        Registry& registry);

}  // namespace ultr
