#pragma once

#include "distributed/communicator.h"
#include "experiment/data_options.h"
#include "experiment/experiment_options.h"

namespace ultr {

/// Reads or simulates the data of a run and logs how much there is. Its files must have been
/// located. `made`: see DataSetting. Throws DataError.
ExperimentData load_data(const ExperimentOptions& options, MadeLists* made = nullptr);

/// Reads or simulates data for an experiment called `name`. Unless the setting has a progress of
/// its own, bars show it.
ExperimentData load_data(const DataOptions& options, const std::string& name,
                         const DataSetting& setting);

/// Throws ConfigError if the model cannot be built, or the optimizer cannot fit it, on any data of
/// the kind that the options name. Throws DataError if the first list of a file of sessions or
/// judged lists is malformed, or has no judgements where they are needed, or if the run that it
/// learns from cannot teach. Its files must have been located.
void expect_trainable(const ExperimentOptions& options);

/// Builds the click model or ranking loss that the options choose for the data, with its parameters
/// at their starting values. `processes` are the processes that will train it together; null if
/// this process trains it alone. Throws ConfigError as ModelOptions::build does, or if the model
/// cannot learn from the data or cannot be divided over the processes.
TrainableModel build_model(const ExperimentOptions& options, const Dataset& dataset,
                           Communicator* processes = nullptr);

}  // namespace ultr
