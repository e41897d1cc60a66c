#pragma once

#include <functional>

#include "base/stop_signals.h"
#include "distributed/communicator.h"
#include "experiment/data_options.h"
#include "experiment/experiment_options.h"
#include "experiment/run_directory.h"
#include "training/training.h"

namespace ultr {

/// The start of a run and the ways in which it may end.
struct RunControl {
  StopRequest stop{};              // asks the run to stop; may be empty
  std::function<void()> starts{};  // called before training, from when on a stop loses work
  bool resume = false;             // resumes from the newest checkpoint in the folder
  /// Called after every epoch. If it is set, the run prints nothing but warnings.
  std::function<void(const EpochResult&)> epoch{};
  /// The processes that do the run together, each with the same data; null if this process does it
  /// alone. All but the first have the folder RunDirectory::of_other_process.
  Communicator* processes = nullptr;
};

/// Trains a model, evaluates it and fills the run's folder, printing progress and results. Deletes
/// checkpoints once everything else is written. Throws Error if training fails; the folder then has
/// the configuration and the epochs so far. Throws Interrupted, after writing a checkpoint, if it
/// is asked to stop. Throws whatever RunCheckpoints::newest throws if it resumes.
void train_and_evaluate(ExperimentOptions& options, const ExperimentData& data,
                        RunDirectory& folder, const RunControl& control);

}  // namespace ultr
