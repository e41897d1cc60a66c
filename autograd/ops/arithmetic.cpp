#include "autograd/ops/arithmetic.h"

#include <algorithm>
#include <array>

#include "autograd/ops/elementwise.h"

namespace ultr {
namespace {

template <class T>
void stop_gradient_forward(Tape& tape, Node& node) {
  std::copy_n(reinterpret_cast<const T*>(tape.input_of(node, 0).value), tape.size_of(node.shape),
              reinterpret_cast<T*>(node.value));
}

template <class T>
constexpr Kernel stop_gradient_kernel = {
    .forward = stop_gradient_forward<T>, .demand = demand_same_rows, .stops_gradient = true};
constexpr Kernels stop_gradient_kernels = {stop_gradient_kernel<float>,
                                           stop_gradient_kernel<double>};

}  // namespace

Tensor operator+(Tensor a, Tensor b) {
  return binary(
      "add", a, b, [](auto x, auto y) { return x + y; },
      [](auto g, auto, auto, auto) { return gradients(g, g); });
}

Tensor operator-(Tensor a, Tensor b) {
  return binary(
      "subtract", a, b, [](auto x, auto y) { return x - y; },
      [](auto g, auto, auto, auto) { return gradients(g, -g); });
}

Tensor operator*(Tensor a, Tensor b) {
  return binary(
      "multiply", a, b, [](auto x, auto y) { return x * y; },
      [](auto g, auto x, auto y, auto) { return gradients(g * y, g * x); });
}

Tensor operator/(Tensor a, Tensor b) {
  return binary(
      "divide", a, b, [](auto x, auto y) { return x / y; },
      [](auto g, auto, auto y, auto quotient) {
        // A quotient that `where` did not choose may be 0 / 0; its gradient is 0, not NaN.
        const auto none = g == 0;
        const auto per = where(none, 0, g / y);
        return gradients(per, where(none, 0, -per * quotient));
      });
}

Tensor operator-(Tensor x) {
  return unary(
      "negate", x, [](auto v) { return -v; }, [](auto g, auto, auto) { return gradients(-g); });
}

// Tensor and number: the number is stored in the op and does not become a node.

Tensor operator+(Tensor a, double b) {
  return unary(
      "add", a, [b](auto x) { return x + b; }, [](auto g, auto, auto) { return gradients(g); });
}
Tensor operator+(double a, Tensor b) { return b + a; }
Tensor operator-(Tensor a, double b) { return a + -b; }

Tensor operator-(double a, Tensor b) {
  return unary(
      "subtract", b, [a](auto x) { return a - x; },
      [](auto g, auto, auto) { return gradients(-g); });
}

Tensor operator*(Tensor a, double b) {
  return unary(
      "multiply", a, [b](auto x) { return x * b; },
      [b](auto g, auto, auto) { return gradients(g * b); });
}
Tensor operator*(double a, Tensor b) { return b * a; }

Tensor operator/(Tensor a, double b) {
  return unary(
      "divide", a, [b](auto x) { return x / b; },
      [b](auto g, auto, auto) { return gradients(g / b); });
}

Tensor exp(Tensor x) {
  return unary(
      "exp", x, [](auto v) { return exp(v); },
      [](auto g, auto, auto y) { return gradients(g * y); });
}

Tensor log(Tensor x) {
  return unary(
      "log", x, [](auto v) { return log(v); },
      [](auto g, auto v, auto) { return gradients(where(v == 0, 0, g / v)); });
}

Tensor log1p(Tensor x) {
  return unary(
      "log1p", x, [](auto v) { return log1p(v); },
      [](auto g, auto v, auto) { return gradients(where(v == -1, 0, g / (v + 1))); });
}

Tensor expm1(Tensor x) {
  return unary("expm1", x, [](auto v) {
    using P = decltype(v);
    // The slope is e^v. Far below 0, value + 1 cancels, so exp(v) is used there.
    const P value = expm1(v);
    return value_and_slopes(value, where(v < P(-1), exp(v), value + 1));
  });
}

Tensor sqrt(Tensor x) {
  return unary(
      "sqrt", x, [](auto v) { return sqrt(v); },
      [](auto g, auto, auto y) { return gradients(where(y == 0, 0, g * 0.5 / y)); });
}

Tensor square(Tensor x) {
  return unary(
      "square", x, [](auto v) { return v * v; },
      [](auto g, auto v, auto) { return gradients(2 * g * v); });
}

Tensor abs(Tensor x) {
  return unary(
      "abs", x, [](auto v) { return abs(v); },
      [](auto g, auto v, auto) { return gradients(where(v > 0, g, where(v < 0, -g, 0))); });
}

Tensor maximum(Tensor a, Tensor b) {
  return binary(
      "maximum", a, b, [](auto x, auto y) { return max(x, y); },
      [](auto g, auto x, auto y, auto) {
        return gradients(where(x < y, 0, g), where(x < y, g, 0));
      });
}

Tensor minimum(Tensor a, Tensor b) {
  return binary(
      "minimum", a, b, [](auto x, auto y) { return min(x, y); },
      [](auto g, auto x, auto y, auto) {
        return gradients(where(y < x, 0, g), where(y < x, g, 0));
      });
}

Tensor clamp(Tensor x, double low, double high) {
  return unary(
      "clamp", x, [low, high](auto v) { return min(max(v, low), high); },
      [low, high](auto g, auto v, auto) {
        return gradients(where((v >= low) & (v <= high), g, 0));
      });
}

Tensor stop_gradient(Tensor x) {
  Tape& tape = x.tape();
  return tape.tensor(tape.record("stop_gradient", NodeKind::real, x.shape(), &stop_gradient_kernels,
                                 std::array{x.node()}));
}

Tensor reverse_gradient(Tensor x, double strength) {
  // Gradient checks hold stop_gradient constant (Tape::freeze_stopped_values), so finite
  // differences see the reversed derivative, too.
  return x - (1 + strength) * (x - stop_gradient(x));
}

}  // namespace ultr
