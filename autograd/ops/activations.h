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
/// Gaussian error linear unit (Hendrycks and Gimpel, 2016): x Φ(x), with the standard normal
/// distribution Φ(x) = (1 + erf(x / √2)) / 2. d/dx = Φ(x) + x φ(x), φ(x) = e^(-x²/2) / √(2π).
Tensor gelu(Tensor x);

/// Its approximation in BERT: x (1 + tanh u) / 2 = x σ(2u), u = √(2/π) (x + 0.044715 x³).
/// d/dx = σ(2u) + 2 x σ(2u) σ(-2u) u', u' = √(2/π) (1 + 0.134145 x²).
Tensor gelu_tanh(Tensor x);

}  // namespace ultr
