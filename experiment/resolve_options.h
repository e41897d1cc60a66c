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
/// must outlive the result: the user chose the file. In the folder of a run they are loaded as by
/// resolve_saved_options. Throws ConfigError if anything is wrong.
ExperimentOptions resolve_options(const std::filesystem::path& config,
                                  const std::vector<std::string>& overrides, Registry& registry);

/// Returns the options of a configuration that was read before. Relative plugins are looked up in
/// `folder`; an experiment without a name gets `name`.
ExperimentOptions resolve_options(const ConfigNode& config, const std::filesystem::path& folder,
                                  const std::string& name, Registry& registry);

/// Returns the options of a run's folder. Its plugins are code that came with data: they are loaded
/// only if the registry trusts the folders of runs. Plugins that the registry has already, known by
/// their file names, are taken for them. Throws DataError if others are left, ConfigError if
/// anything else is wrong.
ExperimentOptions resolve_saved_options(const std::filesystem::path& run, Registry& registry);

/// Returns the resolved configuration in YAML, without the output folder.
std::string saved_config(ExperimentOptions& options);

}  // namespace ultr
