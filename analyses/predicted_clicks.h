#pragma once

#include <string>
#include <vector>

#include "analyses/document_sample.h"
#include "experiment/data_options.h"
#include "runs/saved_model.h"

namespace ultr {

/// P(click) of every document of a sample, in its order, and a description of the model that
/// predicts it.
struct PredictedClicks {
  std::string model{};
  std::vector<double> clicks{};  // NaN if unknown
};

/// Predicts clicks by a trained run. Throws ConfigError if it predicts no clicks, or was trained on
/// features that the data do not have or scale differently; DataError if it depends on
/// query-document pairs and knows none of them.
PredictedClicks clicks_by_run(const SavedModel& saved, const ExperimentData& data,
                              const DocumentSample& sample, int threads);

/// Predicts clicks by an additive model with one parameter per query-document pair
/// (fit_additive_clicks), fitted to all training sessions.
PredictedClicks clicks_by_pairs(const Dataset& dataset, const DocumentSample& sample);

}  // namespace ultr
