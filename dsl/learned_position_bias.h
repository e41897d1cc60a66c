#pragma once

#include <optional>
#include <vector>

#include "dsl/model_options.h"

namespace ultr {

/// The effect of displayed positions on clicks, whatever is displayed there.
struct PositionBias {
  /// If true, `by_rank` holds logits that add to that of relevance, 0 at the first position. If
  /// false, it holds examination probabilities or propensities, which multiply clicks, divided by
  /// that of the first position.
  bool additive = false;
  std::vector<double> by_rank;  // by displayed position from the top

  /// Makes logits or probabilities relative to the first position.
  static PositionBias relative_to_first(bool additive, std::vector<double> by_rank);
};

/// Returns the mean over positions of (a - b)^2. Throws Error unless both have the same number of
/// positions, at least one, and both or neither are additive.
double mean_squared_error(const PositionBias& a, const PositionBias& b);

/// Returns the position bias that a model has learned (ClickModel::position_effect). Returns
/// nothing if it has none, or if a tower computes it for each document from bias features.
std::optional<PositionBias> learned_position_bias(const TrainableModel& model);

}  // namespace ultr
