#pragma once

#include <span>

namespace ultr {

/// Returns Kendall's τ_b of two scorings of the same n items, the degree to which they order pairs
/// alike:
///
///   τ_b = (concordant - discordant) / sqrt((pairs - ties in a) (pairs - ties in b)),
///
/// where pairs = n (n-1) / 2, and a pair tied in a or b is neither concordant nor discordant
/// (Kendall, Biometrika 1945). Ranges from exactly -1 (reversed order) to exactly 1 (same order).
/// Only the order of the numbers matters; infinities are ordered like other numbers. NaN if there
/// are fewer than two items or all are tied in a or in b. Runs in O(n log n) by Knight's method
/// (JASA 1966). Throws Error if the lengths differ or an element is NaN.
double kendall_tau(std::span<const double> a, std::span<const double> b);

}  // namespace ultr
