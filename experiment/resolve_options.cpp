#include "experiment/resolve_options.h"

#include <utility>

#include "options/read.h"
#include "options/write.h"

namespace ultr {
namespace {

namespace fs = std::filesystem;

/// Loads the plugins that a configuration names. Ignores anything that is not a list of names;
/// read_options refuses it.
void load_plugins(const ConfigNode& tree, const fs::path& config_folder, Registry& registry) {
  const ConfigNode* plugins = tree.find("plugins");
  if (plugins == nullptr) return;
  const auto load = [&](const ConfigNode& node) {
    if (node.kind != ConfigNode::Kind::scalar) return;
    const fs::path beside = config_folder / node.scalar;
    registry.load_plugin(fs::exists(beside) ? beside : fs::path(node.scalar));
  };
  load(*plugins);
  for (const ConfigNode& item : plugins->items) load(item);
}

}  // namespace

ExperimentOptions resolve_options(const fs::path& config, const std::vector<std::string>& overrides,
                                  Registry& registry) {
  ConfigNode tree = read_config(config);
  for (const std::string& assignment : overrides) override_config(tree, assignment);
  return resolve_options(tree, config.parent_path(), config.stem().string(), registry);
}

ExperimentOptions resolve_options(const ConfigNode& tree, const fs::path& folder,
                                  const std::string& name, Registry& registry) {
  load_plugins(tree, folder, registry);
  ExperimentOptions options(registry);
  options.known_types = &registry;
  options.choose_analysis(tree, registry);
  read_options(tree, options);
  options.plugins = registry.plugins();
  if (options.name.empty()) options.name = name;
  options.check();
  return options;
}

std::string saved_config(ExperimentOptions& options) {
  const std::string output = std::exchange(options.output, "");
  std::string text = write_options(options);
  options.output = output;
  return text;
}

}  // namespace ultr
