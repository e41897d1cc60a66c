#pragma once

#include "autograd/tape/tensor.h"

/// Log probabilities of outcomes that were observed: of coins that show heads with probability
/// σ(x). They throw ShapeError if a logit is neither a vector as long as the mask nor a scalar.
namespace ultr {

/// log σ(x) where `happened` holds, else log(1 - σ(x)).
/// d/dx = σ(-x) where `happened` holds, else -σ(x).
Tensor log_outcome(Mask happened, Tensor x);

/// log(σ(a)σ(b)) where `both` holds, else log(1 - σ(a)σ(b)): the log probability that two
/// independent events both happen or do not. All of R; -inf where 1 - σ(a)σ(b) is below the
/// smallest number of the tape's precision. Slopes are too small where that is subnormal. d/da =
/// σ(-a) where `both` holds, else as of log_not_both; d/db likewise.
Tensor log_both(Mask both, Tensor a, Tensor b);

}  // namespace ultr
