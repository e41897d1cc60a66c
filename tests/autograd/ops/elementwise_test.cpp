#include "autograd/ops/elementwise.h"

#include <cmath>

#include <gtest/gtest.h>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/reductions.h"
#include "testing/errors.h"
#include "testing/gradient.h"
#include "testing/tensors.h"

namespace ultr::elementwise_test {
namespace {

using testing::uniform;
using testing::variable;

/// a b + offset c: three operands and an option.
Tensor multiply_add(Tensor a, Tensor b, Tensor c, double offset) {
  return elementwise(
      "multiply_add", std::array{a, b, c},
      [offset](auto x, auto y, auto z) { return x * y + offset * z; },
      [offset](auto g, auto x, auto y, auto, auto) { return gradients(g * y, g * x, offset * g); });
}

/// multiply_add with slopes instead of a pullback.
Tensor multiply_add_with_slopes(Tensor a, Tensor b, Tensor c, double offset) {
  return elementwise("multiply_add", std::array{a, b, c}, [offset](auto x, auto y, auto z) {
    return value_and_slopes(x * y + offset * z, y, x, offset);
  });
}

Tensor halved(Tensor a, Tensor b, Tensor c) { return multiply_add(a, b, c, 0.5); }
Tensor halved_with_slopes(Tensor a, Tensor b, Tensor c) {
  return multiply_add_with_slopes(a, b, c, 0.5);
}

TEST(ElementwiseTest, ThreeOperandsWithAnOption) {
  EXPECT_GRADIENT(halved, uniform(-3, 3), uniform(-3, 3), uniform(-3, 3));
  EXPECT_GRADIENT(halved_with_slopes, uniform(-3, 3), uniform(-3, 3), uniform(-3, 3));
}

TEST(ElementwiseTest, RowColumnAndScalarBroadcastInOneCall) {
  for (const auto op : {multiply_add, multiply_add_with_slopes}) {
    Tape tape(Precision::float64);
    const Tensor row = variable(tape, {2, 3, 5}), column = variable(tape, 2, 1, {7, 11});
    const Tensor scalar = tape.variable(Shape::scalar(), std::vector{13.0});
    const Tensor y = op(row, column, scalar, 10);
    EXPECT_EQ(y.shape(), Shape::matrix(2, 3));
    EXPECT_EQ(y.values(), (std::vector<double>{2 * 7 + 130, 3 * 7 + 130, 5 * 7 + 130,  //
                                               2 * 11 + 130, 3 * 11 + 130, 5 * 11 + 130}));
    tape.backward(sum(y));
    EXPECT_EQ(row.gradient(), (std::vector<double>{7 + 11, 7 + 11, 7 + 11}));
    EXPECT_EQ(column.gradient(), (std::vector<double>{2 + 3 + 5, 2 + 3 + 5}));
    EXPECT_EQ(scalar.gradient(), (std::vector<double>{6 * 10}));
  }
}

TEST(ElementwiseTest, OneTensorAsAllOperandsGetsAllGradients) {
  for (const auto op : {multiply_add, multiply_add_with_slopes}) {
    Tape tape(Precision::float64);
    const Tensor x = variable(tape, {2, 3, 5});
    tape.backward(sum(op(x, x, x, 10)));
    EXPECT_EQ(x.gradient(), (std::vector<double>{2 * 2 + 10, 2 * 3 + 10, 2 * 5 + 10}));
    // Broadcast twice: as a row of the matrix and as its own scalar.
    const Tensor matrix = variable(tape, 2, 3, {1, 2, 3, 4, 5, 6});
    tape.backward(sum(op(matrix, x, x, 10)));
    EXPECT_EQ(x.gradient(), (std::vector<double>{1 + 4 + 20, 2 + 5 + 20, 3 + 6 + 20}));
  }
}

TEST(ElementwiseTest, ARepeatedZeroKeepsItsSign) {
  Tape tape(Precision::float64);
  const Tensor ones = variable(tape, 2, 2, {1, 1, 1, 1});
  const Tensor scalar = tape.variable(Shape::scalar(), std::vector{-0.0});
  EXPECT_EQ((ones / scalar).values(), std::vector<double>(4, -HUGE_VAL));
  EXPECT_EQ((ones / variable(tape, 2, 1, {-0.0, 0.0})).values(),
            (std::vector<double>{-HUGE_VAL, -HUGE_VAL, HUGE_VAL, HUGE_VAL}));
}

TEST(ElementwiseTest, EmptyOperandsGiveZeroGradientsToRepeatedOnes) {
  Tape tape(Precision::float64);
  const Tensor matrix = variable(tape, 0, 3, {}), row = variable(tape, {1, 2, 3});
  const Tensor scalar = tape.variable(Shape::scalar(), std::vector{1.0});
  tape.backward(sum(multiply_add(matrix, row, scalar, 10)));
  EXPECT_EQ(row.gradient(), std::vector<double>(3, 0));
  EXPECT_EQ(scalar.gradient(), std::vector<double>(1, 0));
  EXPECT_TRUE(matrix.gradient().empty());
}

TEST(ElementwiseTest, LanesPastTheEndAreNotSummed) {
  Tape tape(Precision::float64);
  const Tensor scalar = tape.variable(Shape::scalar(), std::vector{6.0});
  const Tensor x = testing::constant(tape, {1, 2, 4});
  // In lanes past the end, the derivative is 0 / 0.
  const Tensor y = elementwise(
      "plain_quotient", std::array{scalar, x}, [](auto a, auto b) { return a / b; },
      [](auto g, auto, auto b, auto) { return gradients(g / b, 0 * g); });
  tape.backward(sum(y));
  EXPECT_EQ(scalar.gradient(), (std::vector<double>{1 + 1. / 2 + 1. / 4}));
}

TEST(ElementwiseTest, GradientsOfConstantsAreNeverUsed) {
  Tape tape(Precision::float64);
  const Tensor x = variable(tape, {2}), fixed = testing::constant(tape, {3});
  const Tensor y = elementwise(
      "with_nan_slope", std::array{x, fixed}, [](auto a, auto b) { return a * b; },
      [](auto g, auto, auto b, auto) { return gradients(g * b, NAN); });
  tape.backward(sum(y));
  EXPECT_EQ(x.gradient(), std::vector<double>{3});
  EXPECT_EQ(fixed.gradient(), std::vector<double>{0});
}

TEST(ElementwiseTest, SlopesAreKeptOnlyWhereAGradientIsWanted) {
  const auto saved = [](Tape& tape, Tensor x) {
    const Tensor y = unary("doubled", x, [](auto v) { return value_and_slopes(2 * v, 2 + 0 * v); });
    return tape.node(y.node()).saved != nullptr;
  };
  Tape tape, without(Precision::float32, Tape::Gradients::off);
  EXPECT_TRUE(saved(tape, variable(tape, {1, 2})));
  EXPECT_FALSE(saved(tape, testing::constant(tape, {1, 2})));
  EXPECT_FALSE(saved(without, variable(without, {1, 2})));
}

TEST(ElementwiseTest, ErrorsNameTheOp) {
  Tape tape, other;
  const Tensor x = variable(tape, {1, 2}), y = variable(tape, {1, 2, 3});
  EXPECT_EQ(testing::shape_error([&] { multiply_add(x, x, y, 1); }),
            "multiply_add: a is [2], b is [3]; expected equal shapes, or one that repeats along "
            "the other's rows or columns");
  EXPECT_EQ(testing::shape_error([&] {
              multiply_add(x, x, variable(other, {1, 2}), 1);
            }),
            "multiply_add: the operands are on different tapes");
}

}  // namespace
}  // namespace ultr::elementwise_test
