#pragma once

#include "autograd/tape/tensor.h"

/// Gaussian error linear units (Hendrycks and Gimpel, 2016), the activations of BERT.
namespace ultr {

/// x Φ(x), with the standard normal distribution Φ(x) = (1 + erf(x / √2)) / 2.
/// d/dx = Φ(x) + x φ(x), φ(x) = e^(-x²/2) / √(2π).
Tensor gelu(Tensor x);

/// The approximation x (1 + tanh u) / 2 = x σ(2u), u = √(2/π) (x + 0.044715 x³).
/// d/dx = σ(2u) + 2 x σ(2u) σ(-2u) u', u' = √(2/π) (1 + 0.134145 x²).
Tensor gelu_tanh(Tensor x);

}  // namespace ultr
