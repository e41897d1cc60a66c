#pragma once

#include <span>

namespace ultr {

/// Kendall's τ_b of two scorings of the same n things: do they order pairs alike?
///
///   τ_b = (concordant - discordant) / sqrt((pairs - ties in a) (pairs - ties in b)),
///
/// pairs = n (n-1) / 2; a pair tied in a or b is neither concordant nor discordant (Kendall,
/// Biometrika 1945). -1 (reversed order) to 1 (same order), and exactly so; only the order of the
/// numbers matters, and infinities are numbers like others. NaN if there are fewer than two things
/// or all are tied in a or in b. O(n log n) by Knight's method (JASA 1966).
/// Throws Error if the lengths differ or an element is NaN.
double kendall_tau(std::span<const double> a, std::span<const double> b);

}  // namespace ultr
