#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

namespace ultr {

/// Returns the quantile at `share` in [0, 1] of ascending values, interpolated linearly between
/// them. There must be at least one value.
inline double quantile(std::span<const double> sorted, double share) {
  const double position = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], position - std::floor(position));
}

/// Returns the rank, from 1, of the quantile at `share` in [0, 1] of `count` values by the nearest
/// rank: share * count, rounded up unless it is above a whole number by no more than rounding.
inline std::size_t nearest_rank(double share, std::size_t count) {
  const double rank = std::ceil(share * static_cast<double>(count) * (1 - 1e-12));
  return std::max(static_cast<std::size_t>(rank), std::size_t{1});
}

}  // namespace ultr
