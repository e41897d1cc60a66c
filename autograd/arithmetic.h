#pragma once

#include "autograd/tensor.h"

/// Elementwise arithmetic. Shapes broadcast by NumPy's rules (a scalar, a row or a column repeats);
/// gradients are summed over what was repeated.
namespace ultr {

Tensor operator+(Tensor a, Tensor b);
Tensor operator-(Tensor a, Tensor b);
Tensor operator*(Tensor a, Tensor b);
/// a / b.   d/da = 1/b, d/db = -a/b². Where no gradient arrives none is passed on, b = 0 included,
/// so that `where` may choose between a quotient and what to take when there is nothing to divide
/// by.
Tensor operator/(Tensor a, Tensor b);
Tensor operator-(Tensor x);

Tensor operator+(Tensor a, double b);
Tensor operator+(double a, Tensor b);
Tensor operator-(Tensor a, double b);
Tensor operator-(double a, Tensor b);
Tensor operator*(Tensor a, double b);
Tensor operator*(double a, Tensor b);
Tensor operator/(Tensor a, double b);

/// e^x.   d/dx = e^x.   0 at -inf, inf where the result overflows.
Tensor exp(Tensor x);
/// Natural logarithm, x >= 0.   d/dx = 1/x, and 0 at x = 0, where the value is -inf.
Tensor log(Tensor x);
/// log(1 + x), x >= -1, exact near 0.   d/dx = 1/(1+x), and 0 at x = -1.
Tensor log1p(Tensor x);
/// e^x - 1, exact near 0.   d/dx = e^x.
Tensor expm1(Tensor x);
/// √x, x >= 0.   d/dx = 1/(2√x), and 0 at x = 0.
Tensor sqrt(Tensor x);
/// x².
Tensor square(Tensor x);
/// |x|.   d/dx = sign(x), 0 at 0.
Tensor abs(Tensor x);
/// The larger one; where they are equal, the gradient goes to a.
Tensor maximum(Tensor a, Tensor b);
/// The smaller one; where they are equal, the gradient goes to a.
Tensor minimum(Tensor a, Tensor b);
/// x limited to [low, high].   The gradient passes where low <= x <= high.
Tensor clamp(Tensor x, double low, double high);
/// The same value, through which no gradient passes.
Tensor stop_gradient(Tensor x);
/// The same value, of finite x; the gradient that passes is multiplied by -strength (Ganin and
/// Lempitsky, 2015).
Tensor reverse_gradient(Tensor x, double strength);

}  // namespace ultr
