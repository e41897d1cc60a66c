#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "data/log/session_log.h"
#include "experiment/data_options.h"
#include "runs/saved_model.h"

namespace ultr {

/// The relevance of a query-document pair, and the evidence for it in the training sessions.
struct PairRelevance {
  std::uint64_t query = 0, document = 0;  // ids; SavedModel::names has their texts
  double relevance = 0;                   // a probability
  /// The bounds of its 95% interval; NaN if there is none (PairRelevances::no_intervals).
  double lower = std::numeric_limits<double>::quiet_NaN(),
         upper = std::numeric_limits<double>::quiet_NaN();
  std::uint64_t impressions = 0, clicks = 0;
  double mean_position = std::numeric_limits<double>::quiet_NaN();  // from 1; NaN: never shown
};

/// The relevance of all query-document pairs that a model was trained on.
struct PairRelevances {
  std::vector<PairRelevance> pairs;  // in the order of the dictionary, without its unknown pair
  std::string no_intervals;          // why there are no intervals; empty if there are
};

/// Throws DataError unless the model has parameters of single query-document pairs.
void expect_pair_parameters(const SavedModel& saved);

/// Reads the data that a run was trained on. Throws DataError if they have changed.
ExperimentData training_data(SavedModel& saved);

/// Returns the probability of relevance (ClickModel::relevance) of every query-document pair of the
/// training sessions `train`. If relevance depends on the position, it is that at the first. Does
/// not depend on `threads`. Throws DataError as expect_pair_parameters does.
PairRelevances pair_relevance(const SavedModel& saved, const SessionLog& train, int threads);

}  // namespace ultr
