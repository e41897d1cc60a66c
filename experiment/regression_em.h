#pragma once

#include <cstdint>
#include <functional>

#include "data/formats/propensities.h"
#include "data/log/dataset.h"

namespace ultr {

/// The settings of regression_em.
struct RegressionEmOptions {
  std::int64_t most_passes = 1000;
  /// Passes end when no log(θ_k / θ_1) changes by more in one pass. Parameters are float32, whose
  /// rounding may change it by 1e-6 forever.
  double settled_change = 1e-5;
  std::uint64_t seed = 1;
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
/// with one γ per query-document pair, which is fitted to the training sessions by EM. Propensities
/// are NaN for positions that no chain of pairs shown at several positions links to the first:
/// there, θ follows from where EM starts. They are 0 for positions without clicks, and all NaN if
/// the first position has none. Calls `progress` with the number of sessions that passes have seen.
/// The result does not depend on `threads`.
RegressionEm regression_em(const Dataset& dataset, const RegressionEmOptions& options,
                           const std::function<void(std::uint64_t sessions)>& progress);

}  // namespace ultr
