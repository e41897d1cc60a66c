#pragma once

#include <functional>

#include "experiment/data_options.h"
#include "experiment/experiment_options.h"
#include "experiment/run_directory.h"
#include "runs/results_json.h"

namespace ultr {

/// Evaluates a trained model: its clicks on all splits, its ranking of the judged lists, and the
/// position bias that it has learned, beside the truth where data are simulated. Sets these fields
/// of the result and writes the measurements of each query to the run's folder. Calls `pause`
/// between evaluations; an exception from it ends them.
void evaluate_run(const TrainableModel& model, const ExperimentOptions& options,
                  const ExperimentData& data, const RunDirectory& folder,
                  const std::function<void()>& pause, RunResult& result);

}  // namespace ultr
