#pragma once

#include "autograd/tape/tensor.h"

/// Activation functions of feature towers. The sigmoid σ is in logspace.h.
namespace ultr {

/// max(x, 0).   d/dx = 1 for x > 0, else 0.
Tensor relu(Tensor x);
/// x for x > 0, else e^x - 1 (Clevert et al., 2016, with α = 1).   d/dx = 1 for x > 0, else e^x.
Tensor elu(Tensor x);
/// tanh(x).   d/dx = 1 - tanh²(x).
Tensor tanh(Tensor x);

}  // namespace ultr
