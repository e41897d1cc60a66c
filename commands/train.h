#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "distributed/communicator.h"
#include "experiment/registry.h"

namespace ultr {

/// What to do with a configuration.
enum class Action : std::uint8_t {
  run,              // train, evaluate, write the run's folder
  dry_run,          // check it and print it resolved; nothing is created
  check_gradients,  // compare the model's derivatives with finite differences; nothing is created
};

/// Does it, for an experiment or for a study (see run_study). `overrides` of experiments are
/// "key=value" with dotted keys; several values, "key=a,b", make a sweep (see sweep_grid and
/// run_sweep), of which every run is meant. The configuration names types of the registry, to which
/// the plugins that it names are added first. Returns the exit code: 0, or 1 if gradients disagree
/// or a run of a sweep failed, or that of the study. Throws ConfigError, DataError, Interrupted if
/// SIGINT or SIGTERM comes while it trains or evaluates, or another Error (see with_exit_code).
///
/// `ranks` are the processes that do it together, all called with the same arguments; null: this
/// one alone. They train one model together. The first alone runs an analysis or a check of
/// gradients, or prints the result of a dry run. A sweep or study is a ConfigError.
int run_experiment(const std::filesystem::path& config, const std::vector<std::string>& overrides,
                   Action action, Registry& registry, Communicator* ranks = nullptr);

/// Goes on with the run in a folder, or with all runs of a sweep or study in it that are not done,
/// to the results that they would have had without a stop (times aside). Returns the exit code: 0,
/// or 1 if a run of a sweep failed. Throws as run_experiment; ConfigError too if the run is
/// finished, going on in another process, or has another configuration than its checkpoint,
/// DataError if the folder is no run's or has no usable checkpoint.
int resume_experiment(const std::filesystem::path& folder, Registry& registry,
                      Communicator* ranks = nullptr);

}  // namespace ultr
