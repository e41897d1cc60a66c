#include "experiment/resolve_options.h"

#include <algorithm>
#include <utility>

#include <fmt/ranges.h>

#include "options/read.h"
#include "options/write.h"
#include "training/run_files.h"

namespace ultr {
namespace {

namespace fs = std::filesystem;

/// Returns the plugins that a configuration names. Ignores anything that is not a list of names;
/// read_options refuses it.
std::vector<fs::path> plugins_of(const ConfigNode& tree, const fs::path& config_folder) {
  std::vector<fs::path> files;
  const ConfigNode* plugins = tree.find("plugins");
  if (plugins == nullptr) return files;
  const auto add = [&](const ConfigNode& node) {
    if (node.kind != ConfigNode::Kind::scalar) return;
    const fs::path beside = config_folder / node.scalar;
    std::error_code ignored;
    files.push_back(fs::exists(beside, ignored) ? beside : fs::path(node.scalar));
  };
  add(*plugins);
  for (const ConfigNode& item : plugins->items) add(item);
  return files;
}

/// Returns true for the config.yaml in the folder of a run.
bool is_of_a_run(const fs::path& config) {
  std::error_code ignored;
  const auto has = [&](const char* name) {
    return fs::exists(config.parent_path() / name, ignored);
  };
  return config.filename() == config_file &&
         (has(results_file) || has("metrics.csv") || has("model") || has("checkpoints"));
}

/// Reads options when their plugins are loaded.
ExperimentOptions read_experiment(const ConfigNode& tree, const std::string& name,
                                  Registry& registry) {
  ExperimentOptions options(registry);
  options.known_types = &registry;
  options.choose_analysis(tree, registry);
  read_options(tree, options);
  options.plugins = registry.plugins();
  if (options.name.empty()) options.name = name;
  options.check();
  return options;
}

/// Loads the plugins of a run's folder if the registry trusts it. Throws DataError if it does not
/// and some are not loaded already, from wherever the user has them.
void load_trusted_plugins(const std::vector<fs::path>& plugins, const fs::path& config,
                          Registry& registry) {
  std::vector<std::string> refused;
  for (const fs::path& plugin : plugins) {
    const auto is_named_so = [&](const fs::path& loaded) {
      return loaded.filename() == plugin.filename();
    };
    const std::vector<std::string>& loaded = registry.plugins();
    if (std::any_of(loaded.begin(), loaded.end(), is_named_so)) continue;
    if (registry.plugin_choice().trusts_run_folders)
      registry.load_plugin(plugin);
    else
      refused.push_back(plugin.string());
  }
  if (refused.empty()) return;
  throw DataError(
      fmt::format("{}: its plugins are code and are not loaded: {}; expected --plugin FILE for "
                  "each, or --trust to load them",
                  config.string(), fmt::join(refused, ", ")));
}

}  // namespace

ExperimentOptions resolve_options(const fs::path& config, const std::vector<std::string>& overrides,
                                  Registry& registry) {
  ConfigNode tree = read_config(config);
  for (const std::string& assignment : overrides) override_config(tree, assignment);
  const fs::path folder = config.parent_path();
  if (!is_of_a_run(config)) return resolve_options(tree, folder, config.stem().string(), registry);
  load_trusted_plugins(plugins_of(tree, folder), config, registry);
  return read_experiment(tree, config.stem().string(), registry);
}

ExperimentOptions resolve_options(const ConfigNode& tree, const fs::path& folder,
                                  const std::string& name, Registry& registry) {
  for (const fs::path& plugin : plugins_of(tree, folder)) registry.load_plugin(plugin);
  return read_experiment(tree, name, registry);
}

ExperimentOptions resolve_saved_options(const fs::path& run, Registry& registry) {
  const fs::path config = run / config_file;
  const ConfigNode tree = read_config(config);
  load_trusted_plugins(plugins_of(tree, run), config, registry);
  return read_experiment(tree, config.stem().string(), registry);
}

std::string saved_config(ExperimentOptions& options) {
  const std::string output = std::exchange(options.output, "");
  std::string text = write_options(options);
  options.output = output;
  return text;
}

}  // namespace ultr
