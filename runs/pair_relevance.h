#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "data/log/session_log.h"
#include "dsl/learned_position_bias.h"
#include "experiment/data_options.h"
#include "metrics/significance.h"
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
  /// The position bias that the model has learned, if any, with its intervals by position.
  std::optional<PositionBias> position_bias{};
  std::vector<ConfidenceInterval> position_bias_intervals{};
  /// True if clicks determine relevance only up to a common factor or term, which examination of
  /// the first position fixes; intervals are relative to its estimate.
  bool relative_to_first_position = false;
};

/// Throws DataError unless the model tells query-document pairs apart, by their rows in tables or
/// by their features, and the pairs can be listed.
void expect_pairs(const SavedModel& saved);

/// Returns the logit of relevance of every row of the dictionary, at the first position. `features`
/// are those of the rows, if the model reads any.
std::vector<double> relevance_logits(const TrainableModel& model, int threads,
                                     const FeatureTable& features = {});

/// Reads the data that a run was trained on. Throws DataError if they have changed.
ExperimentData training_data(SavedModel& saved);

/// Returns the probability of relevance (ClickModel::relevance) of every query-document pair of the
/// training sessions `train`, with likelihood intervals (training/likelihood_intervals.h) that
/// contain it, if the model has tables. `features`: see relevance_logits. If relevance depends on
/// the position, it is that at the first. Does not depend on `threads`. Throws DataError as
/// expect_pairs does.
PairRelevances pair_relevance(const SavedModel& saved, const SessionLog& train, int threads,
                              const FeatureTable& features = {});

}  // namespace ultr
