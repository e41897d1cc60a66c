#pragma once

#include <vector>

#include <gtest/gtest.h>

#include "autograd/gradient_check.h"

namespace ultr::testing {

/// `count` numbers between low and high, the same in every run.
struct Uniform {
  double low, high;
  std::size_t count = 7;
};
inline Uniform uniform(double low, double high) { return {low, high}; }

std::vector<double> draw(const Uniform& range, unsigned seed);

/// Checks that central differences agree with the tape to the tolerance for op(x...), on vectors
/// drawn from the ranges.
::testing::AssertionResult gradient_agrees(const TensorFunction& function,
                                           const std::vector<CheckedInput>& inputs,
                                           double tolerance = 1e-7);

template <class Op, class... Ranges>
::testing::AssertionResult op_gradient_agrees(Op op, Ranges... ranges) {
  std::vector<CheckedInput> inputs;
  (inputs.push_back({"operand " + std::to_string(inputs.size()),
                     Shape::vector(static_cast<std::int64_t>(ranges.count)),
                     draw(ranges, static_cast<unsigned>(inputs.size()) + 1)}),
   ...);
  return gradient_agrees(
      [&](Tape&, std::span<const Tensor> x) {
        return [&]<std::size_t... i>(std::index_sequence<i...>) {
          return op(x[i]...);
        }(std::make_index_sequence<sizeof...(Ranges)>{});
      },
      inputs);
}

}  // namespace ultr::testing

/// Checks an op's gradient: EXPECT_GRADIENT(logaddexp, uniform(-3, 3), uniform(-3, 3)). Seeded, in
/// float64, on vectors that are longer than one register and not a multiple of it. A failure shows
/// the worst entry.
#define EXPECT_GRADIENT(op, ...)                                                            \
  EXPECT_TRUE(                                                                              \
      ::ultr::testing::op_gradient_agrees([](auto... x) { return op(x...); }, __VA_ARGS__)) \
      << #op
