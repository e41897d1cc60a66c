#include "autograd/tape/compaction.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <optional>

#include <gtest/gtest.h>

#include "autograd/autograd.h"
#include "testing/tensors.h"

// A branch that few entries take is computed for these entries alone, stored contiguously.

namespace ultr::compaction_test {
namespace {

using Bytes = std::vector<std::uint8_t>;
using Numbers = std::vector<double>;

/// Longer than a word of a mask, and not a multiple of a pack.
constexpr std::size_t entries = 150;

/// The form that a gather takes in a program.
enum class Gathered { compact, picked, whole };

class CompactionTest : public ::testing::TestWithParam<Precision> {
 protected:
  CompactionTest() {
    for (std::size_t i = 0; i < entries; ++i) {
      rows_.push_back(static_cast<std::uint32_t>(i * 7 % table_.size()));
      seldom_.push_back(i % 5 == 3 || i == entries - 1);
      often_.push_back(i % 3 != 1);
      other_.push_back(0.01 * static_cast<double>(i) - 0.5);
    }
    for (std::size_t r = 0; r < table_.size(); ++r) table_[r] = 0.1f * static_cast<float>(r) - 2;
  }

  /// A program on its own tape, and the values from which a story is made.
  struct Program {
    explicit Program(Precision precision) : tape(precision) {}
    Tape tape;
    const ParameterView* table = nullptr;
    std::optional<Mask> seldom, often;
    std::optional<Tensor> gathered, shared, other;
    Tensor piece(Tensor whole) { return slice(whole, {2, 9}); }
  };
  using Story = std::function<Tensor(Program&)>;

  struct Result {
    double loss;
    Numbers shared, other;                 // gradients
    std::map<std::uint32_t, double> rows;  // gradients, summed per row
  };

  Tensor record(Program& p, const Story& story) const {
    const auto size = static_cast<std::int64_t>(entries);
    p.table = &view_;
    const Index index = p.tape.index(size);
    p.tape.bind(index, rows_);
    p.seldom = p.tape.mask(size);
    p.tape.bind(*p.seldom, seldom_);
    p.often = p.tape.mask(size);
    p.tape.bind(*p.often, often_);
    p.gathered = gather(p.tape, view_, index);
    p.shared = p.tape.variable(Shape::scalar(), Numbers{0.3});
    p.other = p.tape.variable(Shape::vector(size), other_);
    return story(p);
  }

  Result run(Program& p, Tensor loss) const {
    p.tape.backward(loss);
    Result result{loss.item(), p.shared->gradient(), p.other->gradient(), {}};
    for (const SparseGradient& gradient : p.tape.sparse_gradients())
      for (std::size_t i = 0; i < gradient.rows.size(); ++i)
        result.rows[gradient.rows[i]] += GetParam() == Precision::float32
                                             ? static_cast<const float*>(gradient.values)[i]
                                             : static_cast<const double*>(gradient.values)[i];
    return result;
  }

  /// Checks that results are the same with and without require(), and that require() gives the
  /// gather the stated form. Only require() lets the tape know which values are read.
  void expect_same(const Story& story, Gathered form) const {
    Program plain(GetParam()), required(GetParam());
    const Result expected = run(plain, record(plain, story));
    const Tensor loss = record(required, story);
    required.tape.require(std::array{loss});
    const Node& gathered = required.tape.node(required.gathered->node());
    const Node& pick = required.tape.node(gathered.pick);
    EXPECT_EQ(gathered.compact != nullptr, form == Gathered::compact);
    EXPECT_EQ(pick.compact != nullptr, form == Gathered::picked);
    EXPECT_EQ(pick.demand.needed, form == Gathered::picked);
    for (int again = 0; again < 2; ++again) {
      required.tape.replay();
      const Result actual = run(required, loss);
      const double tolerance = GetParam() == Precision::float32 ? 1e-4 : 1e-12;
      EXPECT_NEAR(actual.loss, expected.loss, tolerance * std::abs(expected.loss));
      const auto expect_near = [&](const Numbers& a, const Numbers& e) {
        ASSERT_EQ(a.size(), e.size());
        for (std::size_t i = 0; i < e.size(); ++i)
          EXPECT_NEAR(a[i], e[i], tolerance * (1 + std::abs(e[i]))) << i;
      };
      expect_near(actual.shared, expected.shared);
      expect_near(actual.other, expected.other);
      for (const auto& [row, gradient] : expected.rows) {
        const auto found = actual.rows.find(row);
        EXPECT_NEAR(found == actual.rows.end() ? 0 : found->second, gradient,
                    tolerance * (1 + std::abs(gradient)))
            << "row " << row;
      }
      if (form == Gathered::whole) continue;
      const Shape& few = form == Gathered::compact ? gathered.shape : pick.shape;
      EXPECT_LT(required.tape.size_of(few), static_cast<std::int64_t>(entries) / 2);
      EXPECT_EQ(few.capacity(), static_cast<std::int64_t>(entries));
    }
  }

  std::vector<float> table_ = std::vector<float>(40);
  ParameterView view_{table_.data(), Precision::float32, 40, 1, 1};
  std::vector<std::uint32_t> rows_;
  Bytes seldom_, often_;
  Numbers other_;
};

INSTANTIATE_TEST_SUITE_P(Precisions, CompactionTest,
                         ::testing::Values(Precision::float32, Precision::float64),
                         [](const auto& test) {
                           return test.param == Precision::float32 ? "float32" : "float64";
                         });

TEST_P(CompactionTest, FormulasOfARarelyTakenBranchAreCompact) {
  expect_same(
      [](auto& p) {
        const Tensor formula = *p.shared * log_sigmoid(*p.gathered) + 2.0;
        return sum(exp(where(*p.seldom, formula, *p.other)));
      },
      Gathered::compact);
}

TEST_P(CompactionTest, TheOtherOperandMayBeAScalar) {
  expect_same([](auto& p) { return sum(exp(where(*p.seldom, *p.gathered * 0.5, *p.shared))); },
              Gathered::compact);
}

TEST_P(CompactionTest, TheSecondOperandOfWhere) {
  expect_same([](auto& p) { return sum(exp(where(*p.often, *p.other, exp(*p.gathered)))); },
              Gathered::compact);
}

TEST_P(CompactionTest, BothOperandsOfWhere) {
  expect_same(
      [](auto& p) {
        const Index again = p.tape.index(static_cast<std::int64_t>(entries));
        static const std::vector<std::uint32_t> firsts(entries, 1);
        p.tape.bind(again, firsts);
        const Tensor rest = gather(p.tape, *p.table, again);
        return sum(exp(where(*p.seldom, exp(*p.gathered), rest * *p.shared)));
      },
      Gathered::compact);
}

TEST_P(CompactionTest, BranchesWithinBranches) {
  expect_same(
      [](auto& p) {
        const Tensor inner = where(*p.often, log_sigmoid(*p.gathered), *p.shared);
        return sum(exp(where(*p.seldom, inner, *p.other)));
      },
      Gathered::compact);
}

TEST_P(CompactionTest, AConditionSharedByTwoOthers) {
  expect_same(
      [](auto& p) {
        const Tensor formula = exp(*p.gathered);
        const Tensor nested = where(*p.often, formula, *p.other) + where(*p.often, 0.5, formula);
        return sum(exp(where(*p.seldom, nested, *p.other)));
      },
      Gathered::compact);
}

TEST_P(CompactionTest, ValuesReadOutsideTheBranchStayWhole) {
  expect_same(
      [](auto& p) {
        return sum(exp(where(*p.seldom, exp(*p.gathered), *p.other))) + sum(*p.gathered);
      },
      Gathered::whole);
}

TEST_P(CompactionTest, OperandsOfWholeVectorsStayWhole) {
  expect_same([](auto& p) { return sum(where(*p.seldom, exp(*p.gathered) * *p.other, *p.shared)); },
              Gathered::whole);
}

TEST_P(CompactionTest, SlicedValuesStayWhole) {
  expect_same(
      [](auto& p) {
        const Tensor formula = exp(*p.gathered);
        const Mask mask = slice(*p.seldom, {2, 9});
        return sum(where(mask, p.piece(formula), p.piece(*p.other)));
      },
      Gathered::whole);
}

TEST_P(CompactionTest, HeldValuesStayWhole) {
  expect_same(
      [](auto& p) {
        return sum(where(*p.seldom, stop_gradient(exp(*p.gathered)) * *p.shared, *p.other));
      },
      Gathered::whole);
}

TEST_P(CompactionTest, CostlyOpsOfABranchPickFromWholeValues) {
  expect_same(
      [](auto& p) {
        const Tensor x = *p.gathered;
        const Tensor mixed = logaddexp(log_sigmoid(x) + *p.shared, log_one_minus_sigmoid(x));
        return sum(where(*p.seldom, mixed * 2.0, *p.other)) + sum(x * x);
      },
      Gathered::picked);
}

TEST_P(CompactionTest, APickReadTwiceAndAGatherReadByNobodyElse) {
  // Two branches need the gather: together they need all of it.
  expect_same(
      [](auto& p) {
        const Tensor x = *p.gathered, branch = where(*p.seldom, log_sigmoid(x), *p.other);
        return sum(branch * where(*p.seldom, softplus(x), x * *p.shared));
      },
      Gathered::picked);
}

TEST_P(CompactionTest, OnlyOneBranchPicks) {
  expect_same(
      [](auto& p) {
        const Tensor x = *p.gathered;
        return sum(where(*p.seldom, log_sigmoid(x), *p.other)) +
               sum(where(*p.often, *p.other, log_sigmoid(x * *p.shared))) +
               sum(where(*p.often, *p.other, softplus(x)));
      },
      Gathered::picked);
}

TEST_P(CompactionTest, NothingIsPickedByAMaskThatIsComputedLater) {
  expect_same(
      [](auto& p) {
        const Mask later = greater(*p.other, *p.gathered);
        return sum(where(later, log_sigmoid(*p.gathered), *p.other));
      },
      Gathered::whole);
}

TEST_P(CompactionTest, NothingIsPickedForCheapOps) {
  expect_same(
      [](auto& p) {
        return sum(where(*p.seldom, -*p.gathered, *p.other)) + sum(*p.gathered * *p.shared);
      },
      Gathered::whole);
}

TEST_P(CompactionTest, NoEntryAtAll) {
  std::fill(seldom_.begin(), seldom_.end(), std::uint8_t{0});
  expect_same(
      [](auto& p) { return sum(exp(where(*p.seldom, *p.shared * exp(*p.gathered), *p.other))); },
      Gathered::compact);
}

TEST_P(CompactionTest, RequiringTheSameOutputsAgainChangesNothing) {
  Program p(GetParam());
  const Tensor loss = record(p, [](Program& program) {
    return sum(where(*program.seldom, exp(*program.gathered), *program.other));
  });
  const Node& gathered = p.tape.node(p.gathered->node());
  for (int again = 0; again < 2; ++again) {
    p.tape.require(std::array{loss});
    EXPECT_EQ(gathered.demand.count, 1);
    EXPECT_NE(gathered.compact, nullptr);
  }
}

TEST_P(CompactionTest, OtherOutputsUndoCompaction) {
  Program p(GetParam());
  Tensor formula = p.tape.constant(0);
  const Tensor loss = record(p, [&](Program& program) {
    formula = exp(*program.gathered);
    return sum(where(*program.seldom, formula, *program.other));
  });
  p.tape.require(std::array{loss});
  ASSERT_NE(p.tape.node(formula.node()).compact, nullptr);
  p.tape.require(std::array{formula});
  EXPECT_EQ(p.tape.node(formula.node()).compact, nullptr);
  p.tape.replay();
  const Numbers values = formula.values();
  ASSERT_EQ(values.size(), entries);
  for (std::size_t i = 0; i < entries; ++i)
    EXPECT_NEAR(values[i], std::exp(static_cast<double>(table_[rows_[i]])), 1e-5) << i;
}

TEST_P(CompactionTest, OtherOutputsUndoAPick) {
  Program p(GetParam());
  Tensor formula = p.tape.constant(0);
  const Tensor loss = record(p, [&](Program& program) {
    formula = log_sigmoid(*program.gathered);
    return sum(where(*program.seldom, formula, *program.other)) + sum(*program.gathered);
  });
  const NodeId gathered = p.gathered->node(), pick = p.tape.node(gathered).pick;
  for (int again = 0; again < 2; ++again) {
    p.tape.require(std::array{loss});
    EXPECT_EQ(p.tape.node(formula.node()).inputs[0], pick);
    p.tape.backward(loss);
    p.tape.require(std::array{formula});
    EXPECT_EQ(p.tape.node(formula.node()).inputs[0], gathered);
    p.tape.replay();
    const Numbers values = formula.values();
    ASSERT_EQ(values.size(), entries);
    for (std::size_t i = 0; i < entries; ++i)
      EXPECT_NEAR(values[i], -std::log1p(std::exp(-static_cast<double>(table_[rows_[i]]))), 1e-5);
  }
}

}  // namespace
}  // namespace ultr::compaction_test
