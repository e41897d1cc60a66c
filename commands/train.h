#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "distributed/communicator.h"
#include "experiment/registry.h"

namespace ultr {

/// The things to do with a configuration.
enum class Action : std::uint8_t {
  run,              // train, evaluate, write the run's folder
  dry_run,          // check it and print it resolved; nothing is created
  check_gradients,  // compare the model's derivatives with finite differences; nothing is created
};

/// Runs, checks or prints an experiment or a study (see run_study). `overrides` of experiments are
/// "key=value" with dotted keys. Several values, "key=a,b", make a sweep (see sweep_grid and
/// run_sweep), and the action applies to each of its runs. The configuration names types of the
/// registry, to which the plugins that it names are added first. Returns the exit code: that of the
/// study, or 1 if gradients disagree or a run of a sweep failed, or 0. Throws ConfigError,
/// DataError, Interrupted if SIGINT or SIGTERM comes while it trains or evaluates, or another Error
/// (see with_exit_code).
///
/// `processes` are the processes that work together, all called with the same arguments; null: this
/// process alone. They train one model together. The first alone runs an analysis or a check of
/// gradients, or prints the result of a dry run. A sweep or study is a ConfigError.
int run_experiment(const std::filesystem::path& config, const std::vector<std::string>& overrides,
                   Action action, Registry& registry, Communicator* processes = nullptr);

/// Resumes the run in a folder, or does all unfinished runs of the sweep, study or choice in it.
/// Results are those of runs that never stopped, except for times. Returns the exit code: 1 if a
/// run of a sweep failed, or else 0. Throws as run_experiment does. Throws ConfigError if the run
/// is finished, another process is working on it, or its configuration differs from that of its
/// checkpoint; DataError if the folder is not that of a run or has no usable checkpoint.
int resume_experiment(const std::filesystem::path& folder, Registry& registry,
                      Communicator* processes = nullptr);

}  // namespace ultr
