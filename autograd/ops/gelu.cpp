#include "autograd/ops/gelu.h"

#include "autograd/ops/elementwise.h"
#include "kernels/normal_distribution.h"

namespace ultr {

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
