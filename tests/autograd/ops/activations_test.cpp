#include "autograd/ops/activations.h"

#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include "autograd/tape/tape.h"
#include "testing/tensors.h"

// ops_test.cpp also compares gradients with finite differences.

namespace ultr::activations_test {
namespace {

using Numbers = std::vector<double>;

/// Returns the value and derivative of a function at one point.
Numbers at(Tensor (*function)(Tensor), double x) {
  Tape tape(Precision::float64);
  const Tensor input = testing::variable(tape, {x}), y = function(input);
  tape.backward(y);
  return {y.item(), input.gradient()[0]};
}

TEST(ActivationsTest, Relu) {
  EXPECT_EQ(at(relu, 2.5), (Numbers{2.5, 1}));
  EXPECT_EQ(at(relu, -2.5), (Numbers{0, 0}));
  EXPECT_EQ(at(relu, 0), (Numbers{0, 0}));
  EXPECT_TRUE(std::isnan(at(relu, std::nan(""))[0]));
}

TEST(ActivationsTest, EluIsExactNearZeroAndFarBelow) {
  EXPECT_EQ(at(elu, 2.5), (Numbers{2.5, 1}));
  EXPECT_EQ(at(elu, 0), (Numbers{0, 1}));
  EXPECT_DOUBLE_EQ(at(elu, -0.5)[0], std::expm1(-0.5));
  EXPECT_DOUBLE_EQ(at(elu, -0.5)[1], std::exp(-0.5));
  EXPECT_EQ(at(elu, -1e-20), (Numbers{-1e-20, 1}));
  EXPECT_EQ(at(elu, -50)[0], -1);
  EXPECT_DOUBLE_EQ(at(elu, -50)[1], std::exp(-50));
  EXPECT_EQ(at(elu, 1000), (Numbers{1000, 1}));  // the exponential that is not chosen overflows
}

TEST(ActivationsTest, TanhHasASlopeWhereItsValueIsOne) {
  for (const double x : {0.3, -0.3, 1.5, -1.5}) {
    EXPECT_NEAR(at(tanh, x)[0], std::tanh(x), 1e-15);
    EXPECT_NEAR(at(tanh, x)[1], 1 - std::tanh(x) * std::tanh(x), 1e-15);
  }
  EXPECT_EQ(at(tanh, 0), (Numbers{0, 1}));
  // 1 - tanh² = 4 e^-2x / (1 + e^-2x)²
  EXPECT_EQ(at(tanh, 40)[0], 1);
  EXPECT_NEAR(at(tanh, 40)[1] / (4 * std::exp(-80)), 1, 1e-14);
  EXPECT_NEAR(at(tanh, -40)[1] / (4 * std::exp(-80)), 1, 1e-14);
  EXPECT_EQ(at(tanh, 1e4), (Numbers{1, 0}));
}

}  // namespace
}  // namespace ultr::activations_test
