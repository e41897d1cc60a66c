#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/stop_signals.h"
#include "experiment/data_options.h"
#include "experiment/experiment_options.h"
#include "experiment/run_directory.h"

/// One run of an experiment, step by step.
namespace ultr {

/// A configuration with "key=value" overrides, and with everything that is left open filled in. It
/// names types of the registry, to which the plugins that it names are added first, and must not
/// outlive it. Throws ConfigError if anything in it is wrong.
ExperimentOptions resolve_options(const std::filesystem::path& config,
                                  const std::vector<std::string>& overrides, Registry& registry);

/// The same of a configuration that was read before. Relative plugins are looked up in `folder`; an
/// experiment without a name gets `name`.
ExperimentOptions resolve_options(const ConfigNode& config, const std::filesystem::path& folder,
                                  const std::string& name, Registry& registry);

/// The resolved configuration in YAML without what belongs to this run alone.
std::string saved_config(ExperimentOptions& options);

/// Reads or makes the data, and logs how much there is; files must have been located. Throws
/// DataError.
ExperimentData load_data(const ExperimentOptions& options);

/// Reads or makes data for an experiment called `name`.
ExperimentData load_data(const DataOptions& options, const std::string& name,
                         const DataSetting& setting);

/// The model that the options say, a click model or a ranking loss, for the data, its parameters
/// where they start untrained. `ranks` are the processes that are to train it together, null: this
/// one alone. Throws ConfigError as ModelOptions::build does, or if it cannot learn from the data,
/// or be divided over the processes.
TrainableModel build_model(const ExperimentOptions& options, const Dataset& dataset,
                           Communicator* ranks = nullptr);

/// How a run begins and may end.
struct RunControl {
  StopRequest stop{};              // none: it is never asked to
  std::function<void()> starts{};  // called when there is something to lose: before training
  bool resume = false;             // goes on from the newest checkpoint in its folder
  /// The processes that do the run together, each with the same data; null: this one alone. The
  /// folder of all but the first is RunDirectory::of_other_process.
  Communicator* ranks = nullptr;
};

/// Trains a model, evaluates it and fills the run's folder, telling the user how it goes. Throws
/// Error if training fails; the folder then has the configuration and the epochs until there.
/// Throws Interrupted, after a checkpoint, if it is to stop, and what RunCheckpoints::newest
/// throws. Checkpoints go when all else is there.
void train_and_evaluate(ExperimentOptions& options, const ExperimentData& data,
                        RunDirectory& folder, const RunControl& control);

}  // namespace ultr
