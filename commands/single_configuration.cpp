#include "commands/single_configuration.h"

#include <fmt/core.h>

#include "experiment/data_options.h"
#include "experiment/resolve_options.h"
#include "studies/sweep_grid.h"

namespace ultr {

ExperimentOptions resolve_single(const std::filesystem::path& config,
                                 const std::vector<std::string>& overrides, Registry& registry) {
  const std::vector<SweepPoint> grid = sweep_grid(overrides);
  if (grid.size() > 1)
    throw ConfigError(fmt::format(
        "the overrides make a sweep of {} runs; expected one value for each key", grid.size()));
  ExperimentOptions options = resolve_options(config, grid.front().overrides, registry);
  options.expect_model();
  return options;
}

ExperimentOptions resolve_training_data(const std::filesystem::path& config,
                                        const std::vector<std::string>& overrides,
                                        Registry& registry) {
  ExperimentOptions options = resolve_single(config, overrides, registry);
  auto& data = options.data.as<DataOptions>();
  data.keep_training_only();
  data.locate_files(config.parent_path());
  return options;
}

}  // namespace ultr
