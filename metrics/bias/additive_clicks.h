#pragma once

#include <vector>

#include "data/log/pair_position_counts.h"

namespace ultr {

/// The additive two-tower model with one parameter per rank and one per query-document pair,
/// P(click on d at k) = σ(θ_k + γ_qd), fitted to a log by maximum likelihood.
struct AdditiveClicks {
  std::vector<double> rank_logits;  // θ by displayed position, 0 for the first that is shown
  /// γ by row. Infinite for pairs that were always or never clicked, NaN for rows that are not
  /// shown.
  std::vector<double> pair_logits;
  bool settled = false;  // true if the mean residual of each rank is at most 1e-5

  /// Returns P(click) of a pair that the log shows.
  double click(std::uint32_t row, std::size_t position) const;
};

/// Fits the model with alternating Newton steps for γ and θ, until it has settled or for 200
/// sweeps. Click rates count as clicks. Pairs that are shown at one rank only fit their click rate
/// and carry no information about θ. Between ranks that no pairs connect, differences of θ mean
/// nothing. The result does not depend on `threads`.
AdditiveClicks fit_additive_clicks(const PairPositionCounts& counts, int threads);

}  // namespace ultr
