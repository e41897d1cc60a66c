#pragma once

#include <string>
#include <vector>

#include "data/log/session_log.h"
#include "dsl/trainable_model.h"
#include "metrics/significance.h"

namespace ultr {

/// 95% intervals from the likelihood of a model's training sessions (docs/uncertainty.md).
struct LikelihoodIntervals {
  /// The relevance of each row of the dictionary, as a probability. From 0 to 1 if the sessions say
  /// nothing about it, as for row 0.
  std::vector<ConfidenceInterval> relevance;
  /// By position, relative to the first (see learned_position_bias); empty if the model learns no
  /// such effect. Infinite bounds where the sessions set none.
  std::vector<ConfidenceInterval> position_bias;
  /// True if the sessions determine relevance only up to a common factor, or the bias of positions
  /// up to a common term; examination of the first position is then held at its estimate. So is
  /// what dwell times of the first class add to satisfaction, of which the same is true.
  bool relative_to_first_position = false;
};

/// Returns the reason for which a model has no likelihood intervals; empty if it has them.
std::string why_no_intervals(const TrainableModel& model, const SessionLog& train);

/// Computes the intervals of a trained model. One pass over the sessions, sorted by query, sums up
/// the information that they have about all parameters. Does not depend on `threads`. The model
/// must have intervals (why_no_intervals).
LikelihoodIntervals likelihood_intervals(const TrainableModel& model, const SessionLog& train,
                                         int threads);

}  // namespace ultr
