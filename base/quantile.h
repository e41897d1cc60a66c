#pragma once

#include <span>

namespace ultr {

/// Returns the quantile at `share` in [0, 1] of ascending values, interpolated linearly between
/// them. There must be at least one value.
double quantile(std::span<const double> sorted, double share);

}  // namespace ultr
