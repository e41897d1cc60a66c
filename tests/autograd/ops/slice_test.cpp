#include "autograd/ops/slice.h"

#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/gather.h"
#include "autograd/ops/reductions.h"
#include "autograd/ops/select.h"
#include "autograd/tape/tape.h"
#include "testing/errors.h"
#include "testing/tensors.h"

namespace ultr::slice_test {
namespace {

using testing::variable;
using Numbers = std::vector<double>;

class SliceTest : public ::testing::Test {
 protected:
  Tape tape_{Precision::float64};
  Tensor x_ = variable(tape_, {10, 20, 30, 40, 50});
};

Range rows(Extent begin, Extent count) { return {begin, count}; }

TEST_F(SliceTest, SharesMemoryWithTheWhole) {
  const Tensor y = slice(x_, rows(1, 3));
  EXPECT_EQ(y.shape(), Shape::vector(3));
  EXPECT_EQ(y.values(), (Numbers{20, 30, 40}));
  EXPECT_EQ(tape_.node(y.node()).value, tape_.node(x_.node()).value + 1 * sizeof(double));
  EXPECT_TRUE(slice(x_, rows(5, 0)).values().empty());
}

TEST_F(SliceTest, GradientsReachOnlyTheirRows) {
  const Tensor y = slice(x_, rows(1, 3));
  tape_.backward(sum(square(y)));
  EXPECT_EQ(x_.gradient(), (Numbers{0, 2 * 20, 2 * 30, 2 * 40, 0}));
  EXPECT_EQ(y.gradient(), (Numbers{2 * 20, 2 * 30, 2 * 40}));
}

TEST_F(SliceTest, GradientsOfOverlappingSlicesAndOfTheWholeAdd) {
  const Tensor a = slice(x_, rows(0, 3)), b = slice(x_, rows(1, 3));
  // In either order of recording, and with the whole before, between and after.
  tape_.backward(sum(a * b) + sum(square(x_)) + sum(b));
  EXPECT_EQ(x_.gradient(), (Numbers{20 + 2 * 10, 10 + 30 + 2 * 20 + 1, 20 + 40 + 2 * 30 + 1,
                                    30 + 2 * 40 + 1, 2 * 50}));
  // The next pass starts from zero.
  tape_.backward(sum(b));
  EXPECT_EQ(x_.gradient(), (Numbers{0, 1, 1, 1, 0}));
}

TEST_F(SliceTest, ASliceOfAnOpPassesTheGradientOn) {
  const Tensor y = exp(x_ / 100);
  tape_.backward(sum(slice(y, rows(2, 2))) + sum(slice(y, rows(3, 2))));
  const Numbers gradient = x_.gradient();
  const double factors[] = {0, 0, 1, 2, 1};
  for (std::size_t i = 0; i < 5; ++i)
    EXPECT_DOUBLE_EQ(gradient[i], factors[i] * std::exp(0.1 * (1. + static_cast<double>(i))) / 100);
}

TEST_F(SliceTest, SlicesCanBeSliced) {
  const Tensor outer = slice(x_, rows(1, 4)), inner = slice(outer, rows(2, 2));
  EXPECT_EQ(inner.values(), (Numbers{40, 50}));
  tape_.backward(sum(square(inner)) + sum(outer));
  EXPECT_EQ(x_.gradient(), (Numbers{0, 1, 1, 1 + 2 * 40, 1 + 2 * 50}));
  EXPECT_EQ(outer.gradient(), (Numbers{1, 1, 1 + 2 * 40, 1 + 2 * 50}));
}

TEST_F(SliceTest, ASliceOfOneRowCanBeTheLoss) {
  const Tensor y = square(x_);
  tape_.backward(slice(y, rows(2, 1)));
  EXPECT_EQ(x_.gradient(), (Numbers{0, 0, 2 * 30, 0, 0}));
  tape_.backward(slice(y, rows(3, 1)), 10);
  EXPECT_EQ(x_.gradient(), (Numbers{0, 0, 0, 10 * 2 * 40, 0}));
}

TEST_F(SliceTest, ASliceOfAConstantHasNoGradient) {
  const Tensor c = testing::constant(tape_, {1, 2, 3});
  const Tensor piece = slice(c, rows(1, 2));
  tape_.backward(sum(piece * slice(x_, rows(0, 2))));
  EXPECT_EQ(piece.gradient(), (Numbers{0, 0}));
  EXPECT_EQ(x_.gradient(), (Numbers{2, 3, 0, 0, 0}));
}

TEST_F(SliceTest, ASliceOfAMatrixTakesRows) {
  const Tensor m = variable(tape_, 3, 2, {1, 2, 3, 4, 5, 6});
  const Tensor y = slice(m, rows(1, 2));
  EXPECT_EQ(y.shape(), Shape::matrix(2, 2));
  EXPECT_EQ(y.values(), (Numbers{3, 4, 5, 6}));
  tape_.backward(sum(square(y)));
  EXPECT_EQ(m.gradient(), (Numbers{0, 0, 2 * 3, 2 * 4, 2 * 5, 2 * 6}));
}

TEST_F(SliceTest, MasksAndIndicesCanBeSliced) {
  const std::vector<std::uint8_t> bytes = {0, 1, 0, 1, 1};
  const std::vector<std::uint32_t> numbers = {4, 3, 2, 1, 0};
  const Mask mask = tape_.mask(5);
  const Index index = tape_.index(5);
  tape_.bind(mask, bytes);
  tape_.bind(index, numbers);
  const Tensor taken = take(x_, slice(index, rows(1, 3)));
  EXPECT_EQ(taken.values(), (Numbers{40, 30, 20}));
  EXPECT_EQ(where(slice(mask, rows(1, 3)), taken, 0.0).values(), (Numbers{40, 0, 20}));
  // A mask that an op computes.
  const Mask large = greater(x_, testing::constant(tape_, Numbers(5, 25)));
  EXPECT_EQ(where(slice(large, rows(1, 3)), 1.0, taken).values(), (Numbers{40, 1, 1}));
}

TEST_F(SliceTest, RunTimeRangesMoveBetweenRuns) {
  const Extent begin = tape_.extent(5), count = tape_.extent(5);
  const Tensor y = slice(x_, rows(begin, count)), loss = sum(square(y));
  for (const auto& [from, n] : {std::pair{0, 5}, {1, 3}, {4, 1}, {5, 0}, {0, 2}}) {
    tape_.bind(begin, from);
    tape_.bind(count, n);
    tape_.replay();
    tape_.backward(loss);
    Numbers piece, gradient(5, 0.0);
    for (int i = from; i < from + n; ++i) {
      piece.push_back(10.0 * (i + 1));
      gradient[static_cast<std::size_t>(i)] = 2 * piece.back();
    }
    EXPECT_EQ(y.values(), piece);
    EXPECT_EQ(x_.gradient(), gradient);
  }
}

TEST_F(SliceTest, RangesOutsideAreErrors) {
  EXPECT_EQ(testing::shape_error([&] { slice(x_, rows(3, 3)); }), "slice: rows 3 to 6 of [5]");
  EXPECT_EQ(testing::shape_error([&] { slice(x_, rows(-1, 3)); }), "slice: rows -1 to 2 of [5]");
  EXPECT_EQ(testing::shape_error([&] { slice(x_, rows(3, -1)); }), "slice: rows 3 to 2 of [5]");
  EXPECT_EQ(testing::shape_error([&] { slice(sum(x_), rows(0, 1)); }),
            "slice: x is []; expected a vector or a matrix");
  const Extent begin = tape_.extent(5);
  const Tensor y = slice(x_, rows(begin, 2));
  tape_.bind(begin, 4);
  EXPECT_EQ(testing::shape_error([&] { y.values(); }), "slice: rows 4 to 6 of 5");
  tape_.bind(begin, 3);
  EXPECT_EQ(y.values(), (Numbers{40, 50}));
}

TEST_F(SliceTest, ConcatPutsPiecesOneAfterTheOther) {
  const Tensor a = variable(tape_, {1, 2}), none = variable(tape_, {}), b = variable(tape_, {3});
  const Tensor y = concat(std::array{a, none, b, a}, 5);
  EXPECT_EQ(y.values(), (Numbers{1, 2, 3, 1, 2}));
  tape_.backward(sum(y * x_));
  EXPECT_EQ(a.gradient(), (Numbers{10 + 40, 20 + 50}));
  EXPECT_EQ(b.gradient(), (Numbers{30}));
}

TEST_F(SliceTest, ConcatOfSlicesOfOneTensor) {
  const Tensor y = concat(std::array{slice(x_, rows(3, 2)), slice(x_, rows(0, 4))}, 6);
  EXPECT_EQ(y.values(), (Numbers{40, 50, 10, 20, 30, 40}));
  tape_.backward(sum(square(y)));
  EXPECT_EQ(x_.gradient(), (Numbers{2 * 10, 2 * 20, 2 * 30, 2 * 2 * 40, 2 * 50}));
}

TEST_F(SliceTest, ConcatErrors) {
  const Tensor a = variable(tape_, {1, 2}), m = variable(tape_, 1, 2, {1, 2});
  Tape other;
  const Tensor elsewhere = variable(other, {1, 2});
  EXPECT_EQ(testing::shape_error([&] { concat({}, 0); }),
            "concat: no pieces; expected at least one vector");
  EXPECT_EQ(testing::shape_error([&] {
              concat(std::array{a, m}, 4);
            }),
            "concat: piece 1 is [1, 2]; expected a vector");
  EXPECT_EQ(testing::shape_error([&] {
              concat(std::array{a, elsewhere}, 4);
            }),
            "concat: the operands are on different tapes");
  for (const std::int64_t expected : {3, 5}) {
    Tape tape;
    const Tensor pair = variable(tape, {1, 2}), y = concat(std::array{pair, pair}, expected);
    EXPECT_EQ(testing::shape_error([&] { y.values(); }),
              "concat: the pieces have 4 elements; expected " + std::to_string(expected));
  }
}

TEST_F(SliceTest, RepeatSumsItsGradients) {
  for (std::int64_t n = 0; n <= 70; ++n) {
    const Tensor scalar = tape_.variable(Shape::scalar(), Numbers{3});
    const Tensor y = repeat(scalar, n);
    EXPECT_EQ(y.values(), Numbers(static_cast<std::size_t>(n), 3));
    tape_.backward(sum(y));
    EXPECT_EQ(scalar.gradient(), Numbers{static_cast<double>(n)});
  }
  EXPECT_EQ(testing::shape_error([&] { repeat(x_, 2); }), "repeat: x is [5]; expected one element");
}

TEST(ConcatColumnsTest, PutsRowsSideBySide) {
  Tape tape(Precision::float64);
  const Tensor a = variable(tape, 2, 1, {1, 2}), b = variable(tape, 2, 2, {3, 4, 5, 6});
  const Tensor c = concat_columns(a, b);
  EXPECT_EQ(c.shape(), Shape::matrix(2, 3));
  EXPECT_EQ(c.values(), (std::vector<double>{1, 3, 4, 2, 5, 6}));
}

TEST(ConcatColumnsTest, NeedsEqualNumbersOfRows) {
  Tape tape;
  const Tensor a = tape.input(Shape::matrix(2, 1));
  EXPECT_EQ(
      testing::shape_error([&] { concat_columns(a, tape.input(Shape::matrix(3, 1))); }),
      "concat_columns: a is [2, 1], b is [3, 1]; expected matrices with the same number of rows");
  EXPECT_EQ(
      testing::shape_error([&] {
        concat_columns(a, variable(tape, {1, 2}));
      }),
      "concat_columns: a is [2, 1], b is [2]; expected matrices with the same number of rows");
}

}  // namespace
}  // namespace ultr::slice_test
