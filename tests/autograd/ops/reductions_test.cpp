#include "autograd/ops/reductions.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/slice.h"
#include "autograd/tape/tape.h"
#include "testing/errors.h"
#include "testing/gradient.h"
#include "testing/not_finite.h"
#include "testing/tensors.h"

namespace ultr::reductions_test {
namespace {

using testing::variable;
using Numbers = std::vector<double>;

using testing::infinity;

/// Reductions of plain numbers, by definition.
double naive_sum(const Numbers& x) { return std::accumulate(x.begin(), x.end(), 0.0); }
double naive_mean(const Numbers& x) { return naive_sum(x) / static_cast<double>(x.size()); }
double naive_max(const Numbers& x) { return *std::max_element(x.begin(), x.end()); }
double naive_logsumexp(const Numbers& x) {
  double total = 0;
  for (const double value : x) total += std::exp(value);
  return std::log(total);
}

struct Reduction {
  const char* name;
  Tensor (*op)(Tensor, Axis);
  double (*naive)(const Numbers&);
};
const Reduction reductions[] = {{"sum", sum, naive_sum},
                                {"mean", mean, naive_mean},
                                {"max", max, naive_max},
                                {"logsumexp", logsumexp, naive_logsumexp}};

Numbers numbers_for(std::size_t count) { return testing::draw({-3, 3, count}, 1); }

TEST(ReductionsTest, OfAVectorEqualTheirDefinitionsAtEverySize) {
  for (const Reduction& reduction : reductions)
    for (std::size_t n = 1; n <= 70; ++n) {
      const Numbers x = numbers_for(n);
      Tape tape(Precision::float64);
      EXPECT_NEAR(reduction.op(variable(tape, x), Axis::all).item(), reduction.naive(x), 1e-13)
          << reduction.name << " of " << n;
    }
}

TEST(ReductionsTest, OfAMatrixReduceAlongTheAxis) {
  for (const Reduction& reduction : reductions)
    for (const auto& [rows, columns] :
         {std::pair<std::size_t, std::size_t>{3, 5}, {19, 1}, {1, 7}, {2, 33}}) {
      SCOPED_TRACE(::testing::Message() << reduction.name << " " << rows << " x " << columns);
      const Numbers x = numbers_for(rows * columns);
      Tape tape(Precision::float64);
      const Tensor matrix =
          variable(tape, static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns), x);
      EXPECT_NEAR(reduction.op(matrix, Axis::all).item(), reduction.naive(x), 1e-13);
      const Tensor along = reduction.op(matrix, Axis::columns);
      EXPECT_EQ(along.shape(), testing::vector_of(rows));
      for (std::size_t i = 0; i < rows; ++i) {
        const auto begin = x.begin() + static_cast<std::ptrdiff_t>(i * columns);
        EXPECT_NEAR(along.values()[i],
                    reduction.naive({begin, begin + static_cast<std::ptrdiff_t>(columns)}), 1e-13);
      }
      if (reduction.op == static_cast<Tensor (*)(Tensor, Axis)>(logsumexp)) continue;
      const Tensor down = reduction.op(matrix, Axis::rows);
      EXPECT_EQ(down.shape(), testing::vector_of(columns));
      for (std::size_t j = 0; j < columns; ++j) {
        Numbers column;
        for (std::size_t i = 0; i < rows; ++i) column.push_back(x[i * columns + j]);
        EXPECT_NEAR(down.values()[j], reduction.naive(column), 1e-13);
      }
    }
}

TEST(ReductionsTest, OfNothing) {
  Tape tape(Precision::float64);
  const Tensor none = variable(tape, {}), no_rows = variable(tape, 0, 2, {});
  const Tensor no_columns = variable(tape, 2, 0, {});
  EXPECT_EQ(sum(none).item(), 0);
  EXPECT_TRUE(std::isnan(mean(none).item()));
  EXPECT_EQ(max(none).item(), -infinity);
  EXPECT_EQ(logsumexp(none).item(), -infinity);
  EXPECT_EQ(sum(no_rows, Axis::rows).values(), (Numbers{0, 0}));
  EXPECT_TRUE(sum(no_rows, Axis::columns).values().empty());
  EXPECT_EQ(sum(no_columns, Axis::columns).values(), (Numbers{0, 0}));
  EXPECT_EQ(logsumexp(no_columns, Axis::columns).values(), (Numbers{-infinity, -infinity}));
  EXPECT_TRUE(log_softmax(none).values().empty());
  EXPECT_TRUE(cumulative_sum(none).values().empty());
}

TEST(ReductionsTest, GradientOfTheLargestGoesToTheFirstOfEquals) {
  Tape tape(Precision::float64);
  const Tensor x = variable(tape, {1, 3, 3, 2});
  tape.backward(max(x));
  EXPECT_EQ(x.gradient(), (Numbers{0, 1, 0, 0}));
  const Tensor m = variable(tape, 3, 2, {1, 5, 2, 5, 2, 4});
  tape.backward(sum(max(m, Axis::rows)) + 10 * sum(max(m, Axis::columns)));
  EXPECT_EQ(m.gradient(), (Numbers{0, 1 + 10, 1, 10, 0, 10}));
}

TEST(ReductionsTest, LogsumexpKeepsTheSmallNextToTheLarge) {
  for (const double gap : {40., 300., 700.}) {
    Tape tape(Precision::float64);
    const Tensor x = variable(tape, {0, -gap});
    const Tensor y = logsumexp(x);
    tape.backward(y);
    EXPECT_DOUBLE_EQ(y.item(), std::exp(-gap));  // log1p(e^-gap) rounds to e^-gap
    EXPECT_DOUBLE_EQ(x.gradient()[1], std::exp(-gap));
  }
}

TEST(ReductionsTest, LogsumexpOfInfinitiesBelow) {
  Tape tape(Precision::float64);
  const Tensor x = variable(tape, {-infinity, 2, -infinity}),
               none = variable(tape, {-infinity, -infinity});
  const Tensor y = logsumexp(x), nothing = logsumexp(none);
  EXPECT_EQ(y.item(), 2);
  EXPECT_EQ(nothing.item(), -infinity);
  tape.backward(y);
  EXPECT_EQ(x.gradient(), (Numbers{0, 1, 0}));
  tape.backward(nothing);
  EXPECT_EQ(none.gradient(), (Numbers{0, 0}));
}

TEST(ReductionsTest, LogSoftmaxOfEachRowSumsToOne) {
  const std::size_t rows = 4, columns = 19;
  const Numbers x = numbers_for(rows * columns);
  Tape tape(Precision::float64);
  const Tensor m = variable(tape, rows, columns, x);
  const Tensor y = log_softmax(m), rest = m - log_softmax(m);
  const Numbers totals = sum(exp(y), Axis::columns).values();
  const Numbers norms = logsumexp(m, Axis::columns).values();
  for (std::size_t i = 0; i < rows; ++i) {
    EXPECT_NEAR(totals[i], 1, 1e-14);
    for (std::size_t j = 0; j < columns; ++j)
      EXPECT_NEAR(rest.values()[i * columns + j], norms[i], 1e-14);
    // Each row of the matrix gives the same as a vector of its own.
    const auto begin = x.begin() + static_cast<std::ptrdiff_t>(i * columns);
    const Numbers row(begin, begin + static_cast<std::ptrdiff_t>(columns));
    const Numbers alone = log_softmax(variable(tape, row)).values();
    for (std::size_t j = 0; j < columns; ++j) EXPECT_EQ(y.values()[i * columns + j], alone[j]);
  }
}

TEST(ReductionsTest, LogSoftmaxOmitsImpossibleEntries) {
  Tape tape(Precision::float64);
  const Tensor x = variable(tape, {-infinity, 0, 0});
  const Tensor y = log_softmax(x);
  EXPECT_EQ(y.values()[0], -infinity);
  EXPECT_DOUBLE_EQ(y.values()[1], -std::log(2));
  tape.backward(sum(y * testing::constant(tape, {5, 1, 0})));
  EXPECT_EQ(x.gradient()[0], 0);
  EXPECT_DOUBLE_EQ(x.gradient()[1], 1 - 0.5);
  EXPECT_DOUBLE_EQ(x.gradient()[2], -0.5);
  const Tensor none = variable(tape, {-infinity, -infinity}), impossible = log_softmax(none);
  EXPECT_EQ(impossible.values(), (Numbers{-infinity, -infinity}));
  tape.backward(sum(impossible));
  EXPECT_EQ(none.gradient(), (Numbers{0, 0}));
}

TEST(ReductionsTest, CumulativeSumsInAllFourWays) {
  using enum Direction;
  using enum Including;
  Tape tape(Precision::float64);
  const Tensor x = variable(tape, {1, 2, 4, 8});
  EXPECT_EQ(cumulative_sum(x).values(), (Numbers{1, 1 + 2, 1 + 2 + 4, 1 + 2 + 4 + 8}));
  EXPECT_EQ(cumulative_sum(x, forward, only_others).values(), (Numbers{0, 1, 1 + 2, 1 + 2 + 4}));
  EXPECT_EQ(cumulative_sum(x, backward).values(), (Numbers{1 + 2 + 4 + 8, 2 + 4 + 8, 4 + 8, 8}));
  EXPECT_EQ(cumulative_sum(x, backward, only_others).values(), (Numbers{2 + 4 + 8, 4 + 8, 8, 0}));
  // d loss / d x_i sums the weights of all elements that x_i is part of.
  const Tensor weights = testing::constant(tape, {1, 10, 100, 1000});
  tape.backward(sum(weights * cumulative_sum(x, forward, only_others)));
  EXPECT_EQ(x.gradient(), (Numbers{1110, 1100, 1000, 0}));
  tape.backward(sum(weights * cumulative_sum(x, backward)));
  EXPECT_EQ(x.gradient(), (Numbers{1, 11, 111, 1111}));
}

TEST(ReductionsTest, CumulativeSumsOfAMatrixStartAnewInEachRow) {
  Tape tape(Precision::float64);
  const Tensor m = variable(tape, 2, 3, {1, 2, 4, 8, 16, 32});
  EXPECT_EQ(cumulative_sum(m).values(), (Numbers{1, 3, 7, 8, 24, 56}));
  EXPECT_EQ(cumulative_sum(m, Direction::backward, Including::only_others).values(),
            (Numbers{6, 4, 0, 48, 32, 0}));
}

TEST(ReductionsTest, SumsHaveOneOrderWhateverFollowsThem) {
  const Numbers x = numbers_for(1000);
  for (const Precision precision : {Precision::float32, Precision::float64}) {
    Tape tape(precision);
    const Tensor whole = variable(tape, x);
    const double first = sum(whole).item();
    EXPECT_EQ(sum(whole).item(), first);
    EXPECT_EQ(sum(slice(whole, {0, 1000})).item(), first);
  }
}

TEST(ReductionsTest, ErrorsNameTheAxis) {
  Tape tape;
  const Tensor x = variable(tape, {1, 2});
  for (const auto& [name, op] : {std::pair<std::string, Tensor (*)(Tensor, Axis)>{"sum", sum},
                                 {"mean", mean},
                                 {"max", max},
                                 {"logsumexp", logsumexp}})
    EXPECT_EQ(testing::shape_error([&, &function = op] { function(x, Axis::columns); }),
              name + ": x is [2]; expected a matrix to reduce along an axis");
  EXPECT_EQ(testing::shape_error([&] {
              logsumexp(variable(tape, 1, 2, {1, 2}), Axis::rows);
            }),
            "logsumexp: axis is rows; expected all or columns");
}

}  // namespace
}  // namespace ultr::reductions_test
