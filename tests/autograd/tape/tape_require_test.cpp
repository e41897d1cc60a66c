#include <array>
#include <limits>
#include <map>

#include <gtest/gtest.h>

#include "autograd/autograd.h"
#include "testing/tensors.h"

// Tape::require: values that no output needs are neither computed nor read.

namespace ultr::tape_require_test {
namespace {

using testing::constant;
using testing::variable;
using Numbers = std::vector<double>;
using Rows = std::vector<std::uint32_t>;
using Bytes = std::vector<std::uint8_t>;

/// A row number that no table has: reading it is an invalid access far out of bounds.
constexpr std::uint32_t nowhere = 4'000'000'000;

class RequireTest : public ::testing::TestWithParam<Precision> {
 protected:
  Mask mask(const Bytes& bytes) {
    const Mask mask = tape_.mask(static_cast<std::int64_t>(bytes.size()));
    tape_.bind(mask, bytes);
    return mask;
  }
  Tensor gathered(const Rows& rows) {
    const Index index = tape_.index(static_cast<std::int64_t>(rows.size()));
    tape_.bind(index, rows);
    return gather(tape_, view_, index);
  }
  /// Returns the rows of all sparse gradients with their summed gradients: 1 per use of a row.
  std::map<std::uint32_t, double> uses(Tensor loss) {
    tape_.backward(loss);
    std::map<std::uint32_t, double> sums;
    for (const SparseGradient& gradient : tape_.sparse_gradients())
      for (std::size_t i = 0; i < gradient.rows.size(); ++i)
        sums[gradient.rows[i]] += GetParam() == Precision::float32
                                      ? static_cast<const float*>(gradient.values)[i]
                                      : static_cast<const double*>(gradient.values)[i];
    return sums;
  }
  void require(Tensor output) { tape_.require(std::array{output}); }

  using Uses = std::map<std::uint32_t, double>;
  Tape tape_{GetParam()};
  std::vector<float> table_ = {10, 20, 30, std::numeric_limits<float>::quiet_NaN()};
  ParameterView view_{table_.data(), Precision::float32, 4, 1, 1};
};

INSTANTIATE_TEST_SUITE_P(Precisions, RequireTest,
                         ::testing::Values(Precision::float32, Precision::float64),
                         [](const auto& test) {
                           return test.param == Precision::float32 ? "float32" : "float64";
                         });

TEST_P(RequireTest, UnusedOpsAreDropped) {
  const Rows bad = {nowhere, nowhere}, good = {0, 1};
  const Tensor used = gathered(good);
  exp(gathered(bad));
  const Tensor loss = sum(used);
  require(loss);  // running the others would read row `nowhere`
  EXPECT_EQ(loss.item(), 10 + 20);
  EXPECT_EQ(uses(loss), (Uses{{0, 1}, {1, 1}}));
  tape_.replay();
  EXPECT_EQ(loss.item(), 10 + 20);
}

TEST_P(RequireTest, WhereReadsOnlyTheRowsThatItChooses) {
  const Bytes chosen = {1, 0, 1, 0};
  const Rows rows = {2, nowhere, 0, 3};
  const Tensor x = gathered(rows), y = where(mask(chosen), x, -1.0), loss = sum(y);
  require(loss);
  EXPECT_EQ(y.values(), (Numbers{30, -1, 10, -1}));
  EXPECT_EQ(x.values(), (Numbers{30, 10}));  // nothing else was read or is stored
  EXPECT_EQ(uses(loss), (Uses{{0, 1}, {2, 1}}));
}

TEST_P(RequireTest, BothBranchesReadTheirOwnRows) {
  const Bytes chosen = {1, 0, 1, 0};
  const Rows yes = {2, nowhere, 0, nowhere}, no = {nowhere, 1, nowhere, 2};
  const Tensor y = where(mask(chosen), gathered(yes), gathered(no)), loss = sum(y);
  require(loss);
  EXPECT_EQ(y.values(), (Numbers{30, 20, 10, 30}));
  EXPECT_EQ(uses(loss), (Uses{{0, 1}, {1, 1}, {2, 2}}));
}

TEST_P(RequireTest, ARepeatedOperandIsReadWhateverTheFirstRowChooses) {
  const Bytes chosen = {0, 1, 1};
  const Rows one = {2}, other = {1};
  const Tensor sums = gathered(other) + constant(tape_, {1, 2, 3});
  const Mask condition = mask(chosen);
  const Tensor y = where(condition, gathered(one), -1.0), z = where(condition, sums, -1.0);
  const Tensor loss = sum(y) + sum(z);
  require(loss);
  EXPECT_EQ(y.values(), (Numbers{-1, 30, 30}));
  EXPECT_EQ(z.values(), (Numbers{-1, 20 + 2, 20 + 3}));
  EXPECT_EQ(uses(loss), (Uses{{1, 2}, {2, 2}}));
}

TEST_P(RequireTest, SeesThroughOpsThatWorkRowByRow) {
  const Bytes chosen = {1, 0, 1};
  const Rows first = {2, nowhere, 0}, second = {1, nowhere, 1};
  const Tensor combined = 2 * gathered(first) + gathered(second) * tape_.constant(3);
  const Tensor loss = sum(where(mask(chosen), combined, 0.0));
  require(loss);
  EXPECT_EQ(loss.item(), 2 * (30 + 10) + 3 * (20 + 20));
  EXPECT_EQ(uses(loss), (Uses{{0, 2}, {1, 3 + 3}, {2, 2}}));
}

TEST_P(RequireTest, NestedBranchesReadWhereAllConditionsHold) {
  const Bytes outer = {1, 1, 0, 0}, inner = {1, 0, 1, 0};
  const Rows both = {2, nowhere, nowhere, nowhere}, only_outer = {nowhere, 1, nowhere, nowhere};
  const Tensor nested = where(mask(inner), gathered(both), gathered(only_outer));
  const Tensor y = where(mask(outer), nested, -1.0), loss = sum(y);
  require(loss);
  EXPECT_EQ(y.values(), (Numbers{30, 20, -1, -1}));
  EXPECT_EQ(uses(loss), (Uses{{1, 1}, {2, 1}}));
}

TEST_P(RequireTest, MoreConditionsThanFitReadMoreButNeverLess) {
  std::array<Bytes, 6> bytes;
  bytes.fill({1, 0});
  const Rows rows = {2, 1};
  Tensor y = gathered(rows);
  for (const Bytes& level : bytes) y = where(mask(level), y + 1, 0.0);
  const Tensor loss = sum(y);
  require(loss);
  EXPECT_EQ(loss.item(), 30 + 6);
  const Uses read = uses(loss);
  EXPECT_EQ(read.at(2), 1);
}

TEST_P(RequireTest, OneUseOutsideReadsEverything) {
  const Bytes chosen = {1, 0, 1};
  const Rows rows = {2, 1, 0};
  const Tensor x = gathered(rows);
  const Tensor loss = sum(where(mask(chosen), x, 0.0)) + 5 * sum(x);
  require(loss);
  EXPECT_EQ(loss.item(), 30 + 10 + 5 * (30 + 20 + 10));
  EXPECT_EQ(uses(loss), (Uses{{0, 1 + 5}, {1, 5}, {2, 1 + 5}}));
}

TEST_P(RequireTest, SeveralBranchesReadWhatAnyOfThemChooses) {
  const Bytes first = {1, 1, 0}, second = {1, 0, 0};
  const Rows shared = {2, 1, nowhere}, other = {2, 1, 0};
  const Mask a = mask(first), b = mask(second);
  // Both branches have the condition a.
  const Tensor x = gathered(shared);
  const Tensor loss = sum(where(a, x, 0.0)) + sum(where(a, where(b, x, 1.0), 0.0));
  // These two choose opposite rows, so together they need all.
  const Tensor z = gathered(other);
  const Tensor opposite = sum(where(a, z, 0.0)) + sum(where(a, 0.0, z));
  tape_.require(std::array{loss, opposite});
  EXPECT_EQ(loss.item(), 30 + 20 + 30 + 1);
  EXPECT_EQ(uses(loss), (Uses{{1, 1}, {2, 2}}));
  EXPECT_EQ(opposite.item(), 30 + 20 + 10);
  EXPECT_EQ(uses(opposite), (Uses{{0, 1}, {1, 1}, {2, 1}}));
}

TEST_P(RequireTest, ConditionsReachTheRowsOfAMatrix) {
  const std::vector<float> values = {1, 2, 3, 4, 5, 6};
  const ParameterView pairs{values.data(), Precision::float32, 3, 2, 2};
  const Rows rows = {nowhere, 2, 0};
  const Bytes chosen = {0, 1, 1};
  const Index index = tape_.index(3);
  tape_.bind(index, rows);
  const Tensor sums = matvec(gather(tape_, pairs, index), constant(tape_, {1, 1}));
  const Tensor y = where(mask(chosen), sums, -1.0), loss = sum(y);
  require(loss);
  EXPECT_EQ(y.values(), (Numbers{-1, 11, 3}));
  tape_.backward(loss);
  const SparseGradient& gradient = tape_.sparse_gradients()[0];
  EXPECT_EQ(Rows(gradient.rows.begin(), gradient.rows.end()), (Rows{2, 0}));
  EXPECT_EQ(gradient.columns, 2);
}

TEST_P(RequireTest, ConditionsOnSlicesOfAMaskReachTheWhole) {
  const Bytes chosen = {0, 1, 0, 1};
  const Rows rows = {nowhere, 1, nowhere, 2};
  const Range range{1, 3};
  const Mask condition = mask(chosen);
  const Rows others = {0, nowhere, 0, nowhere};
  const Tensor x = slice(gathered(rows), range), z = slice(gathered(others), range);
  const Tensor y = where(slice(condition, range), x, z), loss = sum(y);
  require(loss);
  EXPECT_EQ(y.values(), (Numbers{20, 10, 30}));
  EXPECT_EQ(uses(loss), (Uses{{0, 1}, {1, 1}, {2, 1}}));
}

TEST_P(RequireTest, SlicesOfAMaskMayBeRecordedLater) {
  const Bytes chosen = {0, 1, 0};
  const Rows rows = {1, nowhere};
  const Tensor x = gathered(rows);
  const Mask outer = slice(mask(chosen), {1, 2}), part = slice(outer, {0, 2});
  const Tensor y = where(part, x, -1.0), loss = sum(y);
  require(loss);
  EXPECT_EQ(y.values(), (Numbers{20, -1}));
  EXPECT_EQ(uses(loss), (Uses{{1, 1}}));
}

TEST_P(RequireTest, ASliceOfALongerMaskSaysNothingAboutTheWhole) {
  // Both vectors are sliced alike but differ in length: the mask of one tells nothing about the
  // other.
  const Bytes chosen = {0, 1};
  const Rows rows = {0, 1, 2};
  const Tensor x = gathered(rows);
  const Tensor y = where(slice(mask(chosen), {0, 2}), slice(x, {0, 2}), -1.0);
  const Tensor loss = sum(y);
  require(loss);
  EXPECT_EQ(y.values(), (Numbers{-1, 20}));
  EXPECT_EQ(uses(loss), (Uses{{0, 0}, {1, 1}, {2, 0}}));
}

TEST_P(RequireTest, MasksThatAreComputedBeforeAreUsed) {
  const Tensor a = constant(tape_, {1, 5, 1}), b = constant(tape_, {2, 2, 2});
  const Mask large = greater(a, b);
  const Rows rows = {nowhere, 1, nowhere};
  const Tensor y = where(large, gathered(rows), a), loss = sum(y);
  require(loss);
  EXPECT_EQ(y.values(), (Numbers{1, 20, 1}));
  EXPECT_EQ(uses(loss), (Uses{{1, 1}}));
}

TEST_P(RequireTest, MasksThatAreComputedLaterCannotBeUsed) {
  Numbers threshold = {2, 2};
  const Rows rows = {0, 1};
  const Tensor a = tape_.input(Shape::vector(2)), b = constant(tape_, {3, 3});
  const Tensor x = gathered(rows), y = where(greater(a, b), x, -1.0), loss = sum(y);
  require(loss);
  // The mask changes between runs: reading by the mask of the last run would miss rows.
  for (const Numbers& numbers : {Numbers{4, 2}, {2, 4}, {4, 4}}) {
    tape_.bind(a, numbers);
    tape_.replay();
    for (std::size_t i = 0; i < 2; ++i)
      EXPECT_EQ(y.values()[i], numbers[i] > 3 ? 10 * (1 + static_cast<double>(i)) : -1);
  }
  EXPECT_EQ(uses(loss), (Uses{{0, 1}, {1, 1}}));
}

TEST_P(RequireTest, EarlierResultsAreComputedAnew) {
  const Bytes chosen = {1, 0};
  const Rows rows = {2, 1};
  const Tensor x = gathered(rows), loss = sum(where(mask(chosen), x, 0.0));
  EXPECT_EQ(loss.item(), 30);
  require(loss);
  EXPECT_EQ(uses(loss), (Uses{{2, 1}}));
}

TEST_P(RequireTest, OutputsMayBeDeclaredAgain) {
  const Rows rows = {2, 1};
  const Tensor x = gathered(rows), first = sum(x), second = sum(square(x));
  require(first);
  EXPECT_EQ(first.item(), 30 + 20);
  require(second);
  EXPECT_EQ(second.item(), 30 * 30 + 20 * 20);
  try {
    tape_.backward(first);
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "backward: the loss is not among the outputs that require() declared");
  }
}

TEST_P(RequireTest, MasksAndSizesMayDifferFromRunToRun) {
  const Extent rows = tape_.extent(4);
  const Mask condition = tape_.mask(rows);
  const Index index = tape_.index(rows);
  const Tensor y = where(condition, gather(tape_, view_, index), -1.0), loss = sum(y);
  require(loss);
  const std::pair<Bytes, Rows> runs[] = {{{1, 1, 1, 1}, {0, 1, 2, 0}},
                                         {{0, 1}, {nowhere, 2}},
                                         {{0, 0, 0}, {nowhere, nowhere, nowhere}},
                                         {{}, {}},
                                         {{1, 0, 1}, {1, nowhere, 1}}};
  for (const auto& [bytes, numbers] : runs) {
    tape_.bind(rows, static_cast<std::int64_t>(bytes.size()));
    tape_.bind(condition, bytes);
    tape_.bind(index, numbers);
    tape_.replay();
    Numbers expected;
    Uses used;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      expected.push_back(bytes[i] == 1 ? static_cast<double>(table_[numbers[i]]) : -1);
      if (bytes[i] == 1) ++used[numbers[i]];
    }
    EXPECT_EQ(y.values(), expected);
    EXPECT_EQ(uses(loss), used);
  }
}

TEST_P(RequireTest, MatvecNeedsTheRowsOfItsMatrixWhereItIsNeeded) {
  const std::vector<float> table = {1, 2, 3, 4};
  const ParameterView pairs = {table.data(), Precision::float32, 2, 2, 2};
  const Bytes chosen = {1, 0, 1};
  const Rows rows = {1, nowhere, 0};
  const Index index = tape_.index(3);
  tape_.bind(index, rows);
  const Tensor weights = variable(tape_, {10, 100});
  const Tensor y = matvec(gather(tape_, pairs, index), weights);
  const Tensor loss = sum(where(mask(chosen), y, -1.0));
  require(loss);
  EXPECT_EQ(loss.item(), (3 * 10 + 4 * 100) - 1 + (1 * 10 + 2 * 100));
  tape_.backward(loss);
  EXPECT_EQ(weights.gradient(), (Numbers{3 + 1, 4 + 2}));
  ASSERT_EQ(tape_.sparse_gradients().size(), 1u);
  const SparseGradient& sparse = tape_.sparse_gradients()[0];
  EXPECT_EQ(Rows(sparse.rows.begin(), sparse.rows.end()), (Rows{1, 0}));
}

}  // namespace
}  // namespace ultr::tape_require_test
