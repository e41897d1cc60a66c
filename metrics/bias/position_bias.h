#pragma once

#include <span>
#include <string_view>

#include "data/formats/propensities.h"
#include "metrics/bias/interventions.h"

/// Position bias estimated from clicks without training a ranker (Hager et al., SIGIR 2024, section
/// 3). All estimators assume P(click on d at k) = θ_k γ_d, in which clicks determine θ up to a
/// factor only. All return θ_k / θ_1 by 0-based position: 1 for the first, 0 for a position that is
/// compared with others but was never clicked, NaN where the log has no information. All values are
/// NaN if the log has no information about the first position or it was never clicked.
namespace ultr {

/// Returns the click rate at k over that at the first position. Correct only if relevance does not
/// depend on the position, as in lists in random order.
Propensities relative_click_rates(const InterventionSums& sums);

// Intervention harvesting (Agarwal et al., WSDM 2019): c_k^{k,k'} is the sum over S_{k,k'} of click
// rates at k (InterventionSums::click_rates(k, k')).

/// Returns Π over j < k of c_{j+1}^{j,j+1} / c_j^{j,j+1}. The chain ends at a set without pairs or
/// a position without clicks; all later values are NaN.
Propensities adjacent_chain(const InterventionSums& sums);

/// Returns c_k^{p,k} / c_p^{p,k} for the pivot p, 0-based, divided by the value of the first
/// position. Throws Error if the pivot is not one of the positions.
Propensities pivot_rank(const InterventionSums& sums, std::size_t pivot);

/// Uses all sets together. Returns the p that maximises
///
///     Σ_{k≠k'} c_k^{k,k'} log(p_k r_{k,k'}) + (|S_{k,k'}| - c_k^{k,k'}) log(1 - p_k r_{k,k'}),
///
/// where r_{k,k'} = r_{k',k} > 0 is the mean relevance of S_{k,k'}, and every p_k r_{k,k'} is at
/// most 1. The sum is concave in log p and log r; Newton's method finds its maximum to about 10
/// digits. Where clicks bound p_k / p_1 on one side only, the result is 0, or NaN if they bound it
/// from below.
Propensities all_pairs(const InterventionSums& sums);

/// An estimator of position bias with its name.
struct BiasMethod {
  std::string_view name;
  std::string_view help;  // one line
  bool harvests;          // uses pairs that are shown at several positions
  Propensities (*estimate)(const InterventionSums& sums, std::size_t pivot);
};

/// All estimators above, in the order of reports.
std::span<const BiasMethod> bias_methods();

}  // namespace ultr
