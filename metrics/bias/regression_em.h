#pragma once

#include <cstdint>
#include <functional>

#include "data/formats/propensities.h"
#include "data/log/session_log.h"
#include "metrics/bias/interventions.h"

namespace ultr {

/// The settings of regression_em.
struct RegressionEmOptions {
  std::int64_t most_passes = 1000;
  /// Passes end when no log(θ_k / θ_1) changes by more in one pass.
  double settled_change = 1e-5;
  int threads = 1;
};

/// The result of regression_em.
struct RegressionEm {
  Propensities propensities;  // θ_k / θ_1
  std::int64_t passes = 0;
  bool settled = false;
};

/// Estimates examination by RegressionEM (Wang et al., WSDM 2018), without features. The targets of
/// its regression are then the M-step of the position-based model P(click on d at k) = θ_k γ_d,
/// with one γ per query-document pair, which is fitted to a log by EM. All θ and γ start at the
/// square root of the click rate.
///
/// Clicks of this model are independent, so that a pass goes over the counts of each pair at each
/// position (PairPositionCounts) in place of sessions.
///
/// `sums` are those of the log. Propensities are NaN for positions that no chain of pairs shown at
/// several positions links to the first: there, θ follows from where EM starts. They are 0 for
/// positions without clicks, and all NaN if the first position has none. Calls `progress` with the
/// number of passes that are done. The result does not depend on `threads`.
RegressionEm regression_em(const SessionLog& log, const InterventionSums& sums,
                           const RegressionEmOptions& options,
                           const std::function<void(std::int64_t passes)>& progress);

}  // namespace ultr
