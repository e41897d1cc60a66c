#pragma once

#include <optional>
#include <vector>

#include "models/model_options.h"

namespace ultr {

/// What displayed positions do to clicks, whatever is displayed there.
struct PositionBias {
  /// Whether numbers are logits that add to that of relevance, 0 at the first position; else they
  /// are probabilities of examination or propensities, which multiply clicks, over that of the
  /// first position.
  bool additive = false;
  std::vector<double> by_rank;  // by displayed position from the top

  /// From logits or probabilities that are not relative to the first position.
  static PositionBias relative_to_first(bool additive, std::vector<double> by_rank);
};

/// Mean over positions of (a - b)^2. Throws Error unless both have as many positions, at least one,
/// and are additive, or neither is.
double mean_squared_error(const PositionBias& a, const PositionBias& b);

/// The position bias that a model has learned, as it says (ClickModel::position_effect); nothing if
/// it has none, or a tower computes it for each document from how that is displayed.
std::optional<PositionBias> learned_position_bias(const TrainableModel& model);

}  // namespace ultr
