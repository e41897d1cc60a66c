#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "autograd/ops/op_call.h"

// Elementwise ops of two operands: with different shapes, or with one tensor used twice.

namespace ultr::broadcasting_test {
namespace {

using testing::Argument;
using testing::Arguments;
using testing::Call;
using testing::Domain;
using testing::expect_close;
using testing::Form;
using testing::Numbers;
using testing::Op;
using testing::ordinary;
using testing::Outcome;
using testing::outcome_of;
using testing::precisions;

class BroadcastingTest : public ::testing::TestWithParam<Op> {};

INSTANTIATE_TEST_SUITE_P(All, BroadcastingTest, ::testing::ValuesIn(testing::binary_ops()),
                         [](const auto& test) { return test.param.name; });

/// Returns the index of the element of a broadcast operand that belongs to (row, column) of the
/// result.
std::size_t source(const Shape& shape, std::size_t row, std::size_t column) {
  const bool vector = shape.rank == 1;
  const auto rows = static_cast<std::size_t>(vector ? 1 : shape.rows.capacity());
  const auto columns = static_cast<std::size_t>(vector ? shape.rows.capacity() : shape.columns);
  return (rows == 1 ? 0 : row) * columns + (columns == 1 ? 0 : column);
}

/// Compares the op on operands of two shapes with the op on the same operands repeated in full.
void expect_broadcast(const Op& op, const Shape& a, const Shape& b, Precision precision) {
  SCOPED_TRACE(to_string(a) + " and " + to_string(b));
  Arguments small = ordinary(op, 0);
  small[0].shape = a;
  small[1].shape = b;
  for (std::size_t i = 0; i < 2; ++i) {
    const Domain& domain = op.operands[i].domain;
    const auto count = static_cast<std::size_t>(small[i].shape.capacity());
    small[i].values = testing::draw({domain.low, domain.high, count}, 3 + static_cast<unsigned>(i));
  }
  Call call(op, small, precision);
  const Outcome actual = call.outcome();
  const Shape result = call.shape();
  const auto rows = static_cast<std::size_t>(result.rank == 2 ? result.rows.capacity() : 1);
  const std::size_t columns = rows == 0 ? 0 : actual.value.size() / rows;

  Arguments full = small;
  for (std::size_t i = 0; i < 2; ++i) {
    full[i].shape = Shape::vector(result.capacity());
    full[i].values.clear();
    for (std::size_t row = 0; row < rows; ++row)
      for (std::size_t column = 0; column < columns; ++column)
        full[i].values.push_back(small[i].values[source(small[i].shape, row, column)]);
  }
  const Outcome expanded = outcome_of(op, full, precision);
  EXPECT_TRUE(Outcome::bits_equal(actual.value, expanded.value));
  const double relative = precision == Precision::float32 ? 2e-6 : 1e-14;
  for (std::size_t i = 0; i < 2; ++i) {
    Numbers sums(small[i].values.size(), 0.0), sizes = sums;
    for (std::size_t k = 0; k < expanded.gradients[i].size(); ++k) {
      const std::size_t to = source(small[i].shape, k / columns, k % columns);
      sums[to] += expanded.gradients[i][k];
      sizes[to] += std::abs(expanded.gradients[i][k]);
    }
    ASSERT_EQ(actual.gradients[i].size(), sums.size());
    for (std::size_t k = 0; k < sums.size(); ++k)
      EXPECT_LE(std::abs(actual.gradients[i][k] - sums[k]), relative * sizes[k]) << i << ", " << k;
  }
}

TEST_P(BroadcastingTest, EqualsExpandedOperands) {
  for (const Precision precision : precisions)
    for (const auto& [n, m] : {std::pair{3, 5}, {2, 19}, {4, 1}, {1, 6}, {0, 5}}) {
      const Shape shapes[] = {Shape::scalar(),    Shape::vector(1),    Shape::matrix(1, 1),
                              Shape::vector(m),   Shape::matrix(1, m), Shape::matrix(n, 1),
                              Shape::matrix(n, m)};
      for (const Shape& a : shapes)
        for (const Shape& b : shapes) expect_broadcast(GetParam(), a, b, precision);
    }
}

TEST_P(BroadcastingTest, OneOperandTwiceGetsBothGradients) {
  const Domain &first = GetParam().operands[0].domain, &second = GetParam().operands[1].domain;
  const double low = std::max(first.low, second.low), high = std::min(first.high, second.high);
  if (low > high) return;  // no ordinary number is legal for both
  const Argument argument{Shape::vector(19), testing::draw({low, high, 19}, 1)};
  const Op twice{"", Form::elementwise, {GetParam().operands[0]}, [](std::span<const Tensor> x) {
                   return GetParam().apply(std::array{x[0], x[0]});
                 }};
  for (const Precision precision : precisions) {
    const Outcome apart = outcome_of(GetParam(), {argument, argument}, precision);
    Numbers sums;
    for (std::size_t i = 0; i < apart.value.size(); ++i)
      sums.push_back(apart.gradients[0][i] + apart.gradients[1][i]);
    const Outcome together = outcome_of(twice, {argument}, precision);
    EXPECT_TRUE(Outcome::bits_equal(together.value, apart.value));
    expect_close(together.gradients[0], sums, 1e-6, 0);
  }
}

}  // namespace
}  // namespace ultr::broadcasting_test
