#pragma once

#include <cmath>

namespace ultr {

/// Limit of the logits of coins and shares, ± this, so that no probability gets stuck at 0 or 1.
inline constexpr double largest_coin_logit = 30;

/// Returns the probability whose logit is x: 1 / (1 + exp(-x)).
inline double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

/// Returns the log of the probability whose logit is x, exact for large negative x.
inline double log_of_sigmoid(double x) {
  return x < 0 ? x - std::log1p(std::exp(x)) : -std::log1p(std::exp(-x));
}

}  // namespace ultr
