#include "autograd/ops/activations.h"

#include "autograd/ops/elementwise.h"
#include "kernels/normal_distribution.h"

namespace ultr {

Tensor relu(Tensor x) {
  return unary(
      "relu", x, [](auto v) { return max(v, 0); },
      [](auto g, auto, auto y) { return gradients(where(y > 0, g, 0)); });
}

Tensor elu(Tensor x) {
  return unary("elu", x, [](auto v) {
    const auto value = where(v > 0, v, expm1(min(v, 0)));
    return value_and_slopes(value, where(v > 0, 1, where(v < -1, exp(min(v, 0)), value + 1)));
  });
}

Tensor tanh(Tensor x) {
  return unary("tanh", x, [](auto v) {
    // The slope 1 - tanh² as 4u/(1+u)² with u = e^-2|x|, which does not cancel where |tanh| is near
    // 1.
    const auto u = exp(abs(v) * -2), per = 1 / (u + 1);
    return value_and_slopes(tanh(v), 4 * u * per * per);
  });
}

Tensor gelu(Tensor x) {
  return unary("gelu", x, []<class T>(Pack<T> v) {
    const NormalDistribution<T> normal(v);
    return value_and_slopes(v * normal.distribution, normal.distribution + v * normal.density);
  });
}

Tensor gelu_tanh(Tensor x) {
  return unary("gelu_tanh", x, [](auto v) {
    constexpr double root = 0.79788456080286535588;  // √(2/π)
    // Beyond |x| = 100 the slope is 0 or 1 in any precision, and cubes of larger numbers overflow.
    const auto bounded = min(max(v, -100), 100), square = bounded * bounded;
    const auto twice = 2 * root * bounded * (1 + 0.044715 * square);
    const auto e = exp(-abs(twice)), per = 1 / (1 + e);  // σ(|2u|) = per, σ(-|2u|) = e per
    const auto share = where(twice < 0, e * per, per);
    const auto slope = share + 2 * root * bounded * (1 + 3 * 0.044715 * square) * e * per * per;
    return value_and_slopes(v * share, slope);
  });
}

}  // namespace ultr
