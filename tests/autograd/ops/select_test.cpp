#include "autograd/ops/select.h"

#include <cmath>

#include <gtest/gtest.h>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/reductions.h"
#include "autograd/tape/tape.h"
#include "testing/errors.h"
#include "testing/not_finite.h"
#include "testing/tensors.h"

// tape_require_test.cpp tests which rows a gather under a `where` reads.

namespace ultr::select_test {
namespace {

using testing::constant;
using testing::variable;
using Numbers = std::vector<double>;
using Bytes = std::vector<std::uint8_t>;

using testing::infinity;

class SelectTest : public ::testing::TestWithParam<Precision> {
 protected:
  Mask mask(const Bytes& bytes) {
    const Mask mask = tape_.mask(static_cast<std::int64_t>(bytes.size()));
    tape_.bind(mask, bytes);
    return mask;
  }
  Tape tape_{GetParam()};
};

INSTANTIATE_TEST_SUITE_P(Precisions, SelectTest,
                         ::testing::Values(Precision::float32, Precision::float64),
                         [](const auto& test) {
                           return test.param == Precision::float32 ? "float32" : "float64";
                         });

TEST_P(SelectTest, ChoosesRowByRowAtEverySize) {
  for (std::size_t n = 0; n <= 70; ++n) {
    Bytes bytes(n);
    Numbers a(n), b(n), chosen(n), to_a(n), to_b(n);
    for (std::size_t i = 0; i < n; ++i) {
      bytes[i] = i * i % 3 == 0 ? 1 : 0;
      a[i] = static_cast<double>(i);
      b[i] = -a[i] - 1;
      chosen[i] = bytes[i] == 1 ? a[i] : b[i];
      to_a[i] = bytes[i];
      to_b[i] = 1 - bytes[i];
    }
    tape_.reset();
    const Tensor yes = variable(tape_, a), no = variable(tape_, b);
    const Tensor y = where(mask(bytes), yes, no);
    tape_.backward(sum(y));
    EXPECT_EQ(y.values(), chosen);
    EXPECT_EQ(yes.gradient(), to_a);
    EXPECT_EQ(no.gradient(), to_b);
  }
}

TEST_P(SelectTest, UnchosenValuesMayBeAnythingAndGetNoGradient) {
  const Bytes bytes = {1, 0, 1, 0};
  const Tensor yes = variable(tape_, {1, NAN, 2, infinity});
  const Tensor no = variable(tape_, {-infinity, 3, NAN, 4});
  const Tensor y = where(mask(bytes), yes, no);
  tape_.backward(sum(square(y)));
  EXPECT_EQ(y.values(), (Numbers{1, 3, 2, 4}));
  EXPECT_EQ(yes.gradient(), (Numbers{2 * 1, 0, 2 * 2, 0}));
  EXPECT_EQ(no.gradient(), (Numbers{0, 2 * 3, 0, 2 * 4}));
}

TEST_P(SelectTest, ANaNGradientReachesOnlyChosenValues) {
  const Bytes bytes = {1, 0};
  const Tensor yes = variable(tape_, {1, 2}), no = variable(tape_, {3, 4});
  tape_.backward(sum(where(mask(bytes), yes, no) * constant(tape_, {NAN, NAN})));
  EXPECT_TRUE(std::isnan(yes.gradient()[0]) && std::isnan(no.gradient()[1]));
  EXPECT_EQ(yes.gradient()[1], 0);
  EXPECT_EQ(no.gradient()[0], 0);
}

TEST_P(SelectTest, AQuotientThatIsNotChosenMayDivideByZero) {
  const Bytes bytes = {1, 0, 0};
  const Tensor a = variable(tape_, {6, 1, 0}), b = variable(tape_, {2, 0, 0});
  tape_.backward(sum(where(mask(bytes), a / b, 0.0)));
  EXPECT_EQ(a.gradient(), (Numbers{1. / 2, 0, 0}));
  EXPECT_EQ(b.gradient(), (Numbers{-6. / (2 * 2), 0, 0}));
}

TEST_P(SelectTest, ScalarsAndNumbersAreRepeated) {
  const Bytes bytes = {1, 0, 0};
  const Tensor x = variable(tape_, {1, 2, 3}), one = variable(tape_, {7});
  const Tensor scalar = tape_.variable(Shape::scalar(), Numbers{8});
  EXPECT_EQ(where(mask(bytes), x, one).values(), (Numbers{1, 7, 7}));
  EXPECT_EQ(where(mask(bytes), scalar, x).values(), (Numbers{8, 2, 3}));
  EXPECT_EQ(where(mask(bytes), x, -1.5).values(), (Numbers{1, -1.5, -1.5}));
  EXPECT_EQ(where(mask(bytes), -infinity, x).values(), (Numbers{-infinity, 2, 3}));
  tape_.backward(sum(where(mask(bytes), scalar, one)));
  EXPECT_EQ(scalar.gradient(), (Numbers{1}));
  EXPECT_EQ(one.gradient(), (Numbers{2}));
}

TEST_P(SelectTest, OneTensorOnBothSidesGetsBothGradients) {
  const Bytes bytes = {1, 0, 1};
  const Tensor x = variable(tape_, {1, 2, 3});
  tape_.backward(sum(where(mask(bytes), x, x)));
  EXPECT_EQ(x.gradient(), (Numbers{1, 1, 1}));
}

TEST_P(SelectTest, GreaterIsStrictAndFalseForNaN) {
  const Tensor a = variable(tape_, {1, 2, 3, NAN, 1, infinity});
  const Tensor b = variable(tape_, {2, 2, 2, 0, NAN, 1});
  const Tensor y = where(greater(a, b), 1.0, constant(tape_, Numbers(6, 0)));
  EXPECT_EQ(y.values(), (Numbers{0, 0, 1, 0, 0, 1}));
}

TEST_P(SelectTest, GreaterPassesNoGradient) {
  const Tensor a = variable(tape_, {1, 3}), b = variable(tape_, {2, 2});
  const Tensor x = variable(tape_, {5, 7});
  tape_.backward(sum(where(greater(a, b), x, -x)));
  EXPECT_EQ(x.gradient(), (Numbers{-1, 1}));
  EXPECT_EQ(a.gradient(), (Numbers{0, 0}));
  EXPECT_EQ(b.gradient(), (Numbers{0, 0}));
}

TEST_P(SelectTest, OnlyMinusInfinityIsImpossible) {
  const Tensor x = variable(tape_, {-infinity, -1e30, 0, infinity, NAN});
  const Tensor y = where(is_negative_infinity(x), 1.0, constant(tape_, Numbers(5, 0)));
  EXPECT_EQ(y.values(), (Numbers{1, 0, 0, 0, 0}));
}

TEST_P(SelectTest, ErrorsNameTheShapes) {
  const Bytes bytes = {1, 0, 1};
  const Mask condition = mask(bytes);
  const Tensor x = variable(tape_, {1, 2, 3}), y = variable(tape_, {1, 2});
  const Tensor matrix = variable(tape_, 3, 1, {1, 2, 3});
  Tape other(GetParam());
  const Tensor elsewhere = variable(other, {1, 2, 3});
  EXPECT_EQ(testing::shape_error([&] { where(condition, x, y); }),
            "where: the condition is [3], an operand is [2]; expected the same length or a scalar");
  EXPECT_EQ(
      testing::shape_error([&] { where(condition, matrix, x); }),
      "where: the condition is [3], an operand is [3, 1]; expected the same length or a scalar");
  EXPECT_EQ(testing::shape_error([&] { where(condition, x, elsewhere); }),
            "where: the operands are on different tapes");
  EXPECT_EQ(testing::shape_error([&] { where(condition, elsewhere, elsewhere); }),
            "where: the operands are on different tapes");
  EXPECT_EQ(testing::shape_error([&] { greater(x, y); }),
            "greater: a is [3], b is [2]; expected two vectors of the same length");
  EXPECT_EQ(testing::shape_error([&] { is_negative_infinity(matrix); }),
            "is_negative_infinity: x is [3, 1]; expected a vector");
  EXPECT_EQ(testing::shape_error([&] { greater(matrix, matrix); }),
            "greater: a is [3, 1], b is [3, 1]; expected two vectors of the same length");
  EXPECT_EQ(testing::shape_error([&] { greater(x, elsewhere); }),
            "greater: the operands are on different tapes");
}

}  // namespace
}  // namespace ultr::select_test
