#pragma once

#include <span>
#include <string>
#include <vector>

#include "data/log/session_log.h"
#include "models/prob.h"
#include "models/session.h"

/// Propensities: how likely users examine each displayed position, by 0-based position; NaN where
/// unknown, as beyond their end.
namespace ultr {

/// How propensities become the weights of clicks.
struct PropensityWeighting {
  double clip = 0.1;      // τ: propensities below count as this; 0: none do
  bool normalise = true;  // relative to the first position
};

/// The weight of a click at each of `positions` positions: max(τ, e_1) / max(τ, e_k), or
/// 1 / max(τ, e_k) if not normalised, which is min(1 / e_k, 1 / τ). An unknown propensity counts as
/// 0; NaN where there is nothing to divide by.
std::vector<double> inverse_propensity_weights(std::span<const double> propensities,
                                               std::size_t positions,
                                               const PropensityWeighting& weighting);

/// The logits of propensities as fixed examination probabilities; +inf where certain, NaN where a
/// propensity is not above 0 and at most 1.
std::vector<double> examination_logits(std::span<const double> propensities, std::size_t positions);

/// Throws DataError, naming the first displayed position of the log for which there is no number,
/// and the file and what it should have had there.
void check_known(std::span<const double> by_position, const SessionLog& log,
                 const std::string& file, std::string_view expected);

/// The fixed probability of each document by its displayed position: one of the given logarithms,
/// of which there are as many as the model knows positions.
Prob fixed_probability(const Session& session, std::span<const double> log_p);

}  // namespace ultr
