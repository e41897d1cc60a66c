#pragma once

#include <vector>

#include "data/log/session_log.h"

namespace ultr {

/// The additive two-tower model with a parameter for each rank and for each query-document pair,
/// P(click on d at k) = σ(θ_k + γ_qd), fitted to a log by maximum likelihood.
struct AdditiveClicks {
  std::vector<double> rank_logits;  // θ by displayed position, 0 for the first that is shown
  /// γ by row; infinite for pairs that were always or never clicked. NaN for rows that are not
  /// shown.
  std::vector<double> pair_logits;
  bool settled = false;  // whether the mean residual of each rank is below 1e-5

  /// P(click) of a pair that the log shows.
  double click(std::uint32_t row, std::size_t position) const;
};

/// Newton steps for γ and θ in turn, until settled or 200 times. Click rates count as clicks. Pairs
/// that are shown at one rank fit their click rate and tell nothing of θ; ranks that no pairs
/// connect keep the θ that they start with, 0. Takes 24 bytes an impression.
AdditiveClicks fit_additive_clicks(const SessionLog& log);

}  // namespace ultr
