#pragma once

#include "autograd/tape/tensor.h"

/// Elementwise arithmetic. Shapes broadcast by NumPy's rules: a scalar, a row or a column is
/// repeated, and its gradient is summed over the repetitions. Ops of two tensors throw ShapeError
/// if the shapes do not fit or the tensors are on different tapes.
namespace ultr {

Tensor operator+(Tensor a, Tensor b);
Tensor operator-(Tensor a, Tensor b);
Tensor operator*(Tensor a, Tensor b);
/// a / b.   d/da = 1/b, d/db = -a/b². An element whose incoming gradient is 0 passes on 0, even
/// where b = 0, so that `where` may choose between a quotient and a replacement for b = 0.
Tensor operator/(Tensor a, Tensor b);
Tensor operator-(Tensor x);

Tensor operator+(Tensor a, double b);
Tensor operator+(double a, Tensor b);
Tensor operator-(Tensor a, double b);
Tensor operator-(double a, Tensor b);
Tensor operator*(Tensor a, double b);
Tensor operator*(double a, Tensor b);
Tensor operator/(Tensor a, double b);

/// e^x.   d/dx = e^x.   exp(-inf) = 0; inf where the result overflows.
Tensor exp(Tensor x);
/// Natural logarithm, x >= 0.   d/dx = 1/x, and 0 at x = 0, where the value is -inf.
Tensor log(Tensor x);
/// log(1 + x), x >= -1, exact near 0.   d/dx = 1/(1+x), and 0 at x = -1.
Tensor log1p(Tensor x);
/// e^x - 1, exact near 0.   d/dx = e^x.
Tensor expm1(Tensor x);
/// √x, x >= 0.   d/dx = 1/(2√x), and 0 at x = 0.
Tensor sqrt(Tensor x);
/// x².   d/dx = 2x.
Tensor square(Tensor x);
/// |x|.   d/dx = sign(x), 0 at 0.
Tensor abs(Tensor x);
/// max(a, b).   The gradient goes to the larger operand, or to a where they are equal.
Tensor maximum(Tensor a, Tensor b);
/// min(a, b).   The gradient goes to the smaller operand, or to a where they are equal.
Tensor minimum(Tensor a, Tensor b);
/// x limited to [low, high].   d/dx = 1 for low <= x <= high, else 0.
Tensor clamp(Tensor x, double low, double high);
/// x as a constant: no gradient passes.
Tensor stop_gradient(Tensor x);
/// x, with the gradient multiplied by -strength (gradient reversal; Ganin and Lempitsky, 2015). x
/// must be finite.
Tensor reverse_gradient(Tensor x, double strength);

}  // namespace ultr
