#pragma once

#include <cmath>

namespace ultr {

/// Returns the probability whose logit is x: 1 / (1 + exp(-x)).
inline double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

}  // namespace ultr
