#include "autograd/ops/gather.h"

#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "autograd/gradient_check.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/reductions.h"
#include "autograd/ops/select.h"
#include "autograd/ops/slice.h"
#include "testing/errors.h"
#include "testing/tensors.h"

// tape_require_test.cpp tests which rows a gather reads under Tape::require.

namespace ultr::gather_test {
namespace {

using testing::variable;
using Numbers = std::vector<double>;
using Rows = std::vector<std::uint32_t>;
using Runs = std::vector<Run>;

template <class T>
ParameterView view_of(const std::vector<T>& values, std::int64_t columns = 1,
                      std::int64_t stride = 0) {
  if (stride == 0) stride = columns;
  return {values.data(), sizeof(T) == 4 ? Precision::float32 : Precision::float64,
          static_cast<std::int64_t>(values.size()) / stride, columns, stride};
}

/// Returns the numbers of a gradient as doubles.
template <class Gradient>
Numbers numbers(const Gradient& gradient, Precision precision, std::int64_t count) {
  Numbers result;
  for (std::int64_t i = 0; i < count; ++i)
    result.push_back(precision == Precision::float32
                         ? static_cast<const float*>(gradient.values)[i]
                         : static_cast<const double*>(gradient.values)[i]);
  return result;
}
Numbers numbers(const SparseGradient& gradient, Precision precision) {
  return numbers(gradient, precision,
                 static_cast<std::int64_t>(gradient.rows.size()) * gradient.columns);
}
Rows rows_of(const SparseGradient& gradient) {
  return {gradient.rows.begin(), gradient.rows.end()};
}

class GatherTest : public ::testing::TestWithParam<Precision> {
 protected:
  Index index(const Rows& rows) {
    const Index index = tape_.index(static_cast<std::int64_t>(rows.size()));
    tape_.bind(index, rows);
    return index;
  }
  Tape tape_{GetParam()};
};

INSTANTIATE_TEST_SUITE_P(Precisions, GatherTest,
                         ::testing::Values(Precision::float32, Precision::float64),
                         [](const auto& test) {
                           return test.param == Precision::float32 ? "float32" : "float64";
                         });

TEST_P(GatherTest, ReadsRowsOfEitherPrecision) {
  const Rows rows = {2, 0, 2, 3};
  const std::vector<float> narrow = {0.5, 1.5, 2.5, 3.5};
  const std::vector<double> wide(narrow.begin(), narrow.end());
  const ParameterView views[] = {view_of(narrow), view_of(wide)};
  for (const ParameterView& view : views) {
    const Tensor y = gather(tape_, view, index(rows));
    EXPECT_EQ(y.shape(), Shape::vector(4));
    EXPECT_EQ(y.values(), (Numbers{2.5, 0.5, 2.5, 3.5}));
  }
}

TEST_P(GatherTest, ReadsEverySize) {
  std::vector<float> values(100);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i) / 4;
  const ParameterView vector = view_of(values), matrix = view_of(values, 4);
  for (std::size_t n = 0; n <= 70; ++n) {
    Rows rows(n);
    Numbers expected(n), expected_rows;
    for (std::size_t i = 0; i < n; ++i) {
      rows[i] = static_cast<std::uint32_t>(i * 7 % 25);
      expected[i] = rows[i] / 4.;
      for (std::size_t c = 0; c < 4; ++c)
        expected_rows.push_back((rows[i] * 4. + static_cast<double>(c)) / 4);
    }
    tape_.reset();
    EXPECT_EQ(gather(tape_, vector, index(rows)).values(), expected);
    EXPECT_EQ(gather(tape_, matrix, index(rows)).values(), expected_rows);
  }
}

TEST_P(GatherTest, RowsMayLieInRecords) {
  // Each record has two values and one unrelated number.
  const std::vector<float> records = {1, 2, -9, 3, 4, -9, 5, 6, -9};
  const Rows rows = {2, 0};
  const ParameterView view = view_of(records, 2, 3);
  const Tensor y = gather(tape_, view, index(rows));
  EXPECT_EQ(y.shape(), Shape::matrix(2, 2));
  EXPECT_EQ(y.values(), (Numbers{5, 6, 1, 2}));
  EXPECT_EQ(read(tape_, view).values(), (Numbers{1, 2, 3, 4, 5, 6}));
}

TEST_P(GatherTest, FixedRowsHaveNoGradient) {
  const std::vector<float> narrow = {0.5, 1.5, 2.5, 3.5, 4.5, 5.5};
  const std::vector<double> wide(narrow.begin(), narrow.end());
  const ParameterView views[] = {view_of(narrow, 2), view_of(wide, 2)};
  const Rows rows = {2, 0, 2};
  for (const ParameterView& view : views) {
    const Tensor y = gather_fixed(tape_, view, index(rows));
    EXPECT_EQ(y.shape(), Shape::matrix(3, 2));
    EXPECT_EQ(y.values(), (Numbers{4.5, 5.5, 0.5, 1.5, 4.5, 5.5}));
    tape_.backward(sum(square(y)));
    EXPECT_TRUE(tape_.sparse_gradients().empty());
    EXPECT_TRUE(tape_.dense_gradients().empty());
  }
  const ParameterView column = view_of(narrow);
  const Tensor y = gather_fixed(tape_, column, index(rows));
  EXPECT_EQ(y.shape(), Shape::matrix(3, 1));
  Tape other;
  EXPECT_EQ(testing::shape_error([&] { gather_fixed(other, column, index(rows)); }),
            "gather_fixed: the operands are on different tapes");
}

TEST_P(GatherTest, OneHotsAreRowsOfTheIdentity) {
  const Rows rows = {2, 0, 2};
  const Tensor y = one_hot(index(rows), 3);
  EXPECT_EQ(y.shape(), Shape::matrix(3, 3));
  EXPECT_EQ(y.values(), (Numbers{0, 0, 1, 1, 0, 0, 0, 0, 1}));
}

TEST_P(GatherTest, MatricesMayHaveOneColumnOrElement) {
  const std::vector<float> values = {1, 2, 3};
  const std::vector<float> single = {4};
  const ParameterView column = view_of(values), one = view_of(single);
  EXPECT_EQ(read(tape_, column).shape(), Shape::vector(3));
  const Tensor x = read_matrix(tape_, column);
  EXPECT_EQ(x.shape(), Shape::matrix(3, 1));
  EXPECT_EQ(x.values(), (Numbers{1, 2, 3}));
  EXPECT_EQ(read_matrix(tape_, one).shape(), Shape::matrix(1, 1));
  tape_.backward(sum(square(x)));
  ASSERT_EQ(tape_.dense_gradients().size(), 1u);
  EXPECT_EQ(numbers(tape_.dense_gradients()[0], GetParam(), 3), (Numbers{2, 4, 6}));
}

TEST_P(GatherTest, GradientListsTheRowsThatWereRead) {
  const std::vector<float> values = {1, 2, 3, 4, 5, 6, 7, 8};
  const ParameterView vector = view_of(values), matrix = view_of(values, 2);
  const Rows rows = {3, 1, 3};
  const Tensor a = gather(tape_, vector, index(rows)), b = gather(tape_, matrix, index(rows));
  tape_.backward(sum(square(a)) + 3 * sum(square(b)));
  const auto gradients = tape_.sparse_gradients();
  ASSERT_EQ(gradients.size(), 2u);
  EXPECT_EQ(gradients[0].parameter, &vector);  // in the order of recording
  EXPECT_EQ(gradients[0].columns, 1);
  EXPECT_EQ(rows_of(gradients[0]), rows);
  EXPECT_EQ(numbers(gradients[0], GetParam()), (Numbers{2 * 4, 2 * 2, 2 * 4}));
  EXPECT_EQ(gradients[1].parameter, &matrix);
  EXPECT_EQ(gradients[1].columns, 2);
  EXPECT_EQ(rows_of(gradients[1]), rows);
  EXPECT_EQ(numbers(gradients[1], GetParam()), (Numbers{6 * 7, 6 * 8, 6 * 3, 6 * 4, 6 * 7, 6 * 8}));
  EXPECT_EQ(a.gradient(), (Numbers{2 * 4, 2 * 2, 2 * 4}));
  EXPECT_TRUE(tape_.dense_gradients().empty());
}

TEST_P(GatherTest, OneParameterMayBeGatheredTwice) {
  const std::vector<float> values = {1, 2, 3};
  const ParameterView view = view_of(values);
  const Rows first = {0}, second = {2, 1};
  const Tensor a = gather(tape_, view, index(first)), b = gather(tape_, view, index(second));
  tape_.backward(sum(a) + sum(square(b)));
  const auto gradients = tape_.sparse_gradients();
  ASSERT_EQ(gradients.size(), 2u);
  EXPECT_EQ(rows_of(gradients[0]), first);
  EXPECT_EQ(rows_of(gradients[1]), second);
  EXPECT_EQ(numbers(gradients[1], GetParam()), (Numbers{2 * 3, 2 * 2}));
}

TEST_P(GatherTest, OnlyParametersThatTheLossDependsOnHaveGradients) {
  const std::vector<float> values = {1, 2, 3};
  const ParameterView used = view_of(values), unused = view_of(values);
  const Rows rows = {0, 1};
  const Tensor a = gather(tape_, used, index(rows)), b = gather(tape_, unused, index(rows));
  const Tensor loss = sum(a), other = sum(b);
  tape_.backward(loss);
  ASSERT_EQ(tape_.sparse_gradients().size(), 1u);
  EXPECT_EQ(tape_.sparse_gradients()[0].parameter, &used);
  tape_.backward(other);
  ASSERT_EQ(tape_.sparse_gradients().size(), 1u);
  EXPECT_EQ(tape_.sparse_gradients()[0].parameter, &unused);
  tape_.backward(sum(stop_gradient(a)));
  EXPECT_TRUE(tape_.sparse_gradients().empty());
}

TEST_P(GatherTest, ReadHasADenseGradient) {
  const std::vector<double> values = {1, 2, 3, 4};
  const ParameterView vector = view_of(values), matrix = view_of(values, 2);
  const std::vector<double> one = {5};
  const ParameterView scalar = view_of(one);
  const Tensor v = read(tape_, vector), m = read(tape_, matrix), s = read(tape_, scalar);
  EXPECT_EQ(v.shape(), Shape::vector(4));
  EXPECT_EQ(m.shape(), Shape::matrix(2, 2));
  EXPECT_EQ(s.shape(), Shape::scalar());
  tape_.backward(sum(square(v)) * s);
  const auto gradients = tape_.dense_gradients();
  ASSERT_EQ(gradients.size(), 2u);  // none for the matrix
  EXPECT_EQ(gradients[0].parameter, &vector);
  EXPECT_EQ(numbers(gradients[0], GetParam(), 4),
            (Numbers{2 * 1 * 5, 2 * 2 * 5, 2 * 3 * 5, 2 * 4 * 5}));
  EXPECT_EQ(gradients[1].parameter, &scalar);
  EXPECT_EQ(numbers(gradients[1], GetParam(), 1), (Numbers{1 + 4 + 9 + 16}));
  tape_.backward(s);
  ASSERT_EQ(tape_.dense_gradients().size(), 1u);
  EXPECT_EQ(numbers(tape_.dense_gradients()[0], GetParam(), 1), (Numbers{1}));
}

TEST_P(GatherTest, ParametersMayMoveAndChangeBetweenRuns) {
  std::vector<float> values = {1, 2, 3};
  ParameterView view = view_of(values);
  const Rows rows = {2, 0};
  const Tensor gathered = gather(tape_, view, index(rows)), whole = read(tape_, view);
  EXPECT_EQ(gathered.values(), (Numbers{3, 1}));
  const std::vector<float> elsewhere = {7, 8, 9};
  view.values = elsewhere.data();
  tape_.replay();
  EXPECT_EQ(gathered.values(), (Numbers{9, 7}));
  EXPECT_EQ(whole.values(), (Numbers{7, 8, 9}));
}

TEST_P(GatherTest, TakeReadsATableOnTheTape) {
  const Rows rows = {2, 0, 2};
  const Tensor table = variable(tape_, {1, 2, 3}), y = take(table, index(rows));
  EXPECT_EQ(y.values(), (Numbers{3, 1, 3}));
  tape_.backward(sum(square(y)) + sum(table));
  EXPECT_EQ(table.gradient(), (Numbers{1 + 2 * 1, 1, 1 + 2 * 2 * 3}));
  const Rows zeros = {0, 0};
  const Tensor scalar = tape_.variable(Shape::scalar(), Numbers{5});
  EXPECT_EQ(take(scalar, index(zeros)).values(), (Numbers{5, 5}));
}

TEST_P(GatherTest, TakeWithRunsEqualsTakeWithout) {
  Runs runs;
  Rows rows;
  for (std::uint32_t length = 0; length <= 40; ++length) {
    runs.push_back({length * 3 % 7, length});
    rows.insert(rows.end(), length, length * 3 % 7);
  }
  Numbers weights;
  for (std::size_t i = 0; i < rows.size(); ++i) weights.push_back(static_cast<double>(i % 11));
  std::vector<Numbers> values, gradients;
  for (const auto& given : {Runs(), runs}) {
    tape_.reset();
    const Index index = tape_.index(static_cast<std::int64_t>(rows.size()));
    tape_.bind(index, rows, given);
    const Tensor table = variable(tape_, {1, 2, 3, 4, 5, 6, 7}), y = take(table, index);
    tape_.backward(sum(y * testing::constant(tape_, weights)) + sum(table));
    values.push_back(y.values());
    gradients.push_back(table.gradient());
  }
  EXPECT_EQ(values[0], values[1]);
  EXPECT_EQ(gradients[0], gradients[1]);  // equal bits: sums of integers
}

TEST_P(GatherTest, RunsAreForgottenWithTheirIndex) {
  const Index index = tape_.index(3);
  const Rows rows = {0, 0, 1}, others = {2, 1, 0};
  const Runs runs = {{0, 2}, {1, 1}};
  const Tensor y = take(testing::constant(tape_, {5, 6, 7}), index);
  tape_.bind(index, rows, runs);
  EXPECT_EQ(y.values(), (Numbers{5, 5, 6}));
  tape_.bind(index, others);
  tape_.replay();
  EXPECT_EQ(y.values(), (Numbers{7, 6, 5}));
}

TEST_P(GatherTest, RunsAreForgottenWithTheProgram) {
  const Rows rows = {0, 0, 1}, others = {2, 1, 0};
  const Runs runs = {{0, 2}, {1, 1}};
  const Tensor first = testing::constant(tape_, {5, 6, 7});
  const Index before = tape_.index(3);
  tape_.bind(before, rows, runs);
  EXPECT_EQ(take(first, before).values(), (Numbers{5, 5, 6}));
  tape_.reset();
  // The slice takes the node that the index had.
  const Index whole = tape_.index(3), after = slice(whole, {0, 3});
  ASSERT_EQ(after.node, before.node);
  tape_.bind(whole, others);
  EXPECT_EQ(take(testing::constant(tape_, {5, 6, 7}), after).values(), (Numbers{7, 6, 5}));
}

TEST_P(GatherTest, ErrorsNameTheOp) {
  Tape other(GetParam());
  const std::vector<float> values = {1, 2, 3};
  const ParameterView view = view_of(values);
  const Index elsewhere = other.index(2);
  EXPECT_EQ(testing::shape_error([&] { gather(tape_, view, elsewhere); }),
            "gather: the operands are on different tapes");
  EXPECT_EQ(testing::shape_error([&] {
              take(variable(tape_, {1, 2}), elsewhere);
            }),
            "take: the operands are on different tapes");
  EXPECT_EQ(testing::shape_error([&] {
              take(variable(other, 1, 2, {1, 2}), elsewhere);
            }),
            "take: the table is [1, 2]; expected a vector");
}

TEST(GatherGradientTest, AgreesWithDifferences) {
  std::vector<double> table = {0.5, -1, 1.5, 2, -2.5, 3}, vector = {0.25, -0.5, 1};
  const ParameterView rows_of_two = view_of(table, 2), whole = view_of(vector);
  const Rows rows = {2, 0, 2};
  Tape tape(Precision::float64);
  const Index index = tape.index(3);
  tape.bind(index, rows);
  const Tensor product = gather(tape, rows_of_two, index) * sum(square(read(tape, whole)));
  const Tensor loss = sum(exp(product));
  tape.backward(loss);
  Numbers to_table(6), to_vector = numbers(tape.dense_gradients()[0], Precision::float64, 3);
  const SparseGradient& sparse = tape.sparse_gradients()[0];
  const Numbers entries = numbers(sparse, Precision::float64);
  for (std::size_t i = 0; i < entries.size(); ++i)
    to_table[sparse.rows[i / 2] * 2 + i % 2] += entries[i];
  const GradientReport report = check_gradient(
      [&] {
        tape.replay();
        return loss.item();
      },
      std::vector<CheckedValues>{{"table", table, to_table}, {"vector", vector, to_vector}});
  EXPECT_EQ(report.entries, 6u + 3u);
  EXPECT_LT(report.worst.error, 1e-7) << report.to_string();
}

TEST(GatherListedRowsTest, ReadsRowsByNumber) {
  const std::vector<double> two_rows = {1, 2, 3, 4};
  const Rows listed = {5, 900}, rows = {900, 5, 900};
  ParameterView view = view_of(two_rows, 2);
  view.rows = 1000;
  view.listed = listed;
  Tape tape(Precision::float64);
  const Index index = tape.index(3);
  tape.bind(index, rows);
  const Tensor y = gather(tape, view, index);
  EXPECT_EQ(y.values(), (Numbers{3, 4, 1, 2, 3, 4}));
  tape.backward(sum(y));
  EXPECT_EQ(rows_of(tape.sparse_gradients()[0]), rows);
  const Rows other = {5, 6, 5};
  tape.bind(index, other);
  EXPECT_THROW(tape.replay(), Error);
}

TEST(GatheredRowsTest, AreDistinctAscendingAndOfTheParameterAlone) {
  const std::vector<float> values(10);
  const ParameterView view = view_of(values), other = view_of(values);
  const Rows first = {7, 2, 7}, second = {3, 2, 0}, elsewhere = {9, 9, 9};
  Tape tape;
  const auto bound = [&](const Rows& rows) {
    const Index index = tape.index(3);
    tape.bind(index, rows);
    return index;
  };
  const std::vector<std::uint8_t> none(3);
  const Mask never = tape.mask(3);
  tape.bind(never, none);
  const Tensor loss = sum(gather(tape, view, bound(first))) +
                      sum(gather(tape, other, bound(first))) +
                      sum(where(never, gather(tape, view, bound(second)), 0.0));
  gather(tape, view, bound(elsewhere));  // no output needs it
  tape.require(std::array{loss});
  tape.replay();
  EXPECT_EQ(tape.gathered_rows(view), (Rows{0, 2, 3, 7}));
  EXPECT_EQ(tape.gathered_rows(other), (Rows{2, 7}));
  const ParameterView unread = view_of(values);
  EXPECT_EQ(tape.gathered_rows(unread), Rows());
  tape.reset();
  EXPECT_EQ(tape.gathered_rows(view), Rows());
}

}  // namespace
}  // namespace ultr::gather_test
