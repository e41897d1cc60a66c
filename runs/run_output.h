#pragma once

#include "experiment/data_options.h"
#include "experiment/run_directory.h"
#include "runs/results_json.h"

namespace ultr {

/// Writes model/ of a run's folder, with its relevance as ONNX where it is computed from features.
/// If several processes train the model, all must call this; the first writes.
void write_trained_model(const RunDirectory& folder, const TrainableModel& model,
                         const ExperimentData& data);

/// Prints the main results of a run to the terminal.
void print_results(const RunResult& result, const std::filesystem::path& folder);

}  // namespace ultr
