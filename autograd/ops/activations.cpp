#include "autograd/ops/activations.h"

#include "autograd/ops/elementwise.h"

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

}  // namespace ultr
