#pragma once

#include <span>
#include <string>
#include <vector>

#include "data/log/session_log.h"
#include "dsl/prob.h"
#include "dsl/session.h"

/// Propensities: the probability that users examine each displayed position, by 0-based position.
/// Propensities that are NaN, or beyond the end, are unknown.
namespace ultr {

/// Options by which propensities become weights of clicks.
struct PropensityWeighting {
  double clip = 0.1;      // τ: smaller propensities are raised to it; 0: none
  bool normalise = true;  // relative to the first position
};

/// Computes the weight of a click at each of `positions` positions: max(τ, e_1) / max(τ, e_k) if
/// normalised, and 1 / max(τ, e_k) = min(1 / e_k, 1 / τ) if not. An unknown propensity counts as 0.
/// A weight is NaN if a propensity that it needs is 0 after clipping.
std::vector<double> inverse_propensity_weights(std::span<const double> propensities,
                                               std::size_t positions,
                                               const PropensityWeighting& weighting);

/// Computes the logits of propensities as fixed examination probabilities: +inf for propensity 1,
/// NaN for a propensity that is unknown or outside (0, 1].
std::vector<double> examination_logits(std::span<const double> propensities, std::size_t positions);

/// Throws DataError if `by_position` has no number for a position that the log displays. The
/// message names the first such position, the file, and what was expected there.
void check_known(std::span<const double> by_position, const SessionLog& log,
                 const std::string& file, std::string_view expected);

/// Throws DataError if propensities from a file are unknown at positions that the log displays. The
/// message names the file and those positions.
void expect_all_positions(std::span<const double> propensities, const SessionLog& log,
                          const std::string& file);

/// Throws DataError if the log has no click at a position whose propensity is above 0, though
/// propensities of all positions let at least 100 be expected there. Users do not see such displays
/// then, as those of candidates below a cut-off, and a mean over displays of a document must not
/// count them. The message names the file, the position and what was expected.
void expect_clicks(std::span<const double> propensities, const SessionLog& log,
                   const std::string& file);

/// Looks up the fixed probability of each document by its displayed position. `log_p` has one
/// logarithm per position that the model knows.
Prob fixed_probability(const Session& session, std::span<const double> log_p);

}  // namespace ultr
