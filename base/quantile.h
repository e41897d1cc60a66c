#pragma once

#include <algorithm>
#include <cmath>
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

}  // namespace ultr
