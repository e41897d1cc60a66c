#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "experiment/experiment_options.h"
#include "experiment/registry.h"
#include "options/config_tree.h"

namespace ultr {

/// Returns the options of a configuration file with "key=value" overrides; whatever neither sets
/// has its default. Plugins that the configuration names are first added to the registry, which
/// must outlive the result. Throws ConfigError if anything is wrong.
ExperimentOptions resolve_options(const std::filesystem::path& config,
                                  const std::vector<std::string>& overrides, Registry& registry);

/// Returns the options of a configuration that was read before. Relative plugins are looked up in
/// `folder`; an experiment without a name gets `name`.
ExperimentOptions resolve_options(const ConfigNode& config, const std::filesystem::path& folder,
                                  const std::string& name, Registry& registry);

/// Returns the resolved configuration in YAML, without the output folder.
std::string saved_config(ExperimentOptions& options);

}  // namespace ultr
