#pragma once

#include <functional>
#include <span>
#include <vector>

#include "experiment/data_options.h"
#include "experiment/experiment_options.h"
#include "experiment/run_directory.h"
#include "runs/results_json.h"

namespace ultr {

/// Returns the epochs of all stages of training until now.
std::vector<EpochResult> all_epochs(std::span<const TrainingResult> earlier,
                                    const TrainingResult& last);

/// Returns the results of a run that are known before training.
RunResult described_run(ExperimentOptions& options, const TrainableModel& model,
                        const Dataset& dataset);

/// Evaluates a trained model: its clicks on all splits, its ranking of the judged lists, and the
/// position bias that it has learned, beside the truth where data are simulated. Sets these fields
/// of the result and writes the measurements of each query, with its name in `names`, to the run's
/// folder, unless it is null.
/// Calls `pause` between evaluations; an exception from it ends them.
void evaluate_run(const TrainableModel& model, const ExperimentOptions& options,
                  const ExperimentData& data, const IdNames& names, const RunDirectory* folder,
                  const std::function<void()>& pause, RunResult& result);

/// Writes model/ of a run's folder, with its relevance as ONNX where relevance_onnx can write it.
/// If several processes train the model, all must call this; the first writes.
void write_trained_model(const RunDirectory& folder, const TrainableModel& model,
                         const ExperimentData& data);

}  // namespace ultr
