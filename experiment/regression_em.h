#pragma once

#include <cstdint>
#include <functional>

#include "data/formats/propensities.h"
#include "data/log/dataset.h"

namespace ultr {

struct RegressionEmOptions {
  std::int64_t most_passes = 1000;
  /// Ends when no log of θ_k / θ_1 changes by more in a pass. Parameters are float32, whose
  /// rounding may change it by 1e-6 for ever.
  double settled_change = 1e-5;
  std::uint64_t seed = 1;
  int threads = 1;
};

struct RegressionEm {
  Propensities propensities;  // θ_k / θ_1
  std::int64_t passes = 0;
  bool settled = false;
};

/// Examination as RegressionEM (Wang et al., WSDM 2018) estimates it, without features: the targets
/// of its regression are then the M-step of the position-based model P(click on d at k) = θ_k γ_d
/// with a γ for each query-document pair, which is fitted to the training sessions by EM. NaN for
/// positions that no chain of pairs shown at several links to the first: θ follows there from where
/// EM starts. 0 for positions without clicks; all NaN if the first has none. `progress` is called
/// with the number of sessions that passes have seen. The result does not depend on `threads`.
RegressionEm regression_em(const Dataset& dataset, const RegressionEmOptions& options,
                           const std::function<void(std::uint64_t sessions)>& progress);

}  // namespace ultr
