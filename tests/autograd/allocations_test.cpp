#include "testing/allocations.h"

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include <gtest/gtest.h>

#include "autograd/autograd.h"
#include "autograd/ops/op_list.h"
#include "testing/gradient.h"

// Once warm, a tape allocates nothing from the heap.

namespace ultr::allocations_test {
namespace {

constexpr std::int64_t size = 70;

/// Records one call of every op, on numbers drawn in advance.
class EveryOp {
 public:
  EveryOp() {
    std::size_t most = 0;
    for (const testing::Op& op : ops_)
      for (const testing::Operand& operand : op.operands)
        most = std::max(most, static_cast<std::size_t>(operand.shape(size).capacity()));
    for (const testing::Op& op : ops_)
      for (const testing::Operand& operand : op.operands) {
        const Shape shape = operand.shape(size);
        std::vector<double>& pool = pools_[operand.domain.low];
        if (pool.empty()) pool = testing::draw({operand.domain.low, operand.domain.high, most}, 1);
        operands_.push_back(
            {shape, std::span(pool).first(static_cast<std::size_t>(shape.capacity()))});
      }
  }

  /// Records all ops and returns the sum of their results.
  Tensor record(Tape& tape) const {
    Tensor total = tape.constant(0);
    std::array<Tensor, 8> operands;  // more than any op has
    auto next = operands_.begin();
    for (const testing::Op& op : ops_) {
      for (std::size_t i = 0; i < op.operands.size(); ++i, ++next)
        operands.at(i) = tape.variable(next->shape, next->values);
      total = total + sum(op.apply(std::span(operands).first(op.operands.size())));
    }
    return total + parameters(tape);
  }

 private:
  struct Values {
    Shape shape;
    std::span<const double> values;
  };

  /// Records the ops without operands on the tape: gather, with and without a condition, and read.
  Tensor parameters(Tape& tape) const {
    const Extent rows = tape.extent(size);
    const Index index = tape.index(rows);
    const Mask mask = tape.mask(rows);
    tape.bind(index, rows_);
    tape.bind(mask, bytes_);
    return sum(gather(tape, table_, index)) + sum(read(tape, table_)) +
           sum(where(mask, gather(tape, table_, index), 0.0));
  }

  std::vector<testing::Op> ops_ = testing::all_ops();
  std::map<double, std::vector<double>> pools_;  // keyed by the lower end of the domain
  std::vector<Values> operands_;
  std::vector<std::uint32_t> rows_ = std::vector<std::uint32_t>(size, 3);
  std::vector<std::uint8_t> bytes_ = std::vector<std::uint8_t>(size, 1);
  std::vector<float> numbers_ = {1, 2, 3, 4, 5};
  ParameterView table_{numbers_.data(), Precision::float32, 5, 1, 1};
};

class AllocationsTest : public ::testing::TestWithParam<Precision> {
 protected:
  void record() {
    tape_.reset();
    loss_ = every_op_.record(tape_);
    tape_.require(std::array{loss_});
  }
  void run() {
    tape_.replay();
    tape_.backward(loss_);
  }
  template <class Work>
  static std::size_t allocations_of(Work work) {
    const std::size_t before = testing::allocations();
    work();
    return testing::allocations() - before;
  }

  EveryOp every_op_;
  Tape tape_{GetParam()};
  Tensor loss_;
};

INSTANTIATE_TEST_SUITE_P(Precisions, AllocationsTest,
                         ::testing::Values(Precision::float32, Precision::float64),
                         [](const auto& test) {
                           return test.param == Precision::float32 ? "float32" : "float64";
                         });

TEST_P(AllocationsTest, AreCounted) {
  EXPECT_EQ(allocations_of([] { ::operator delete(::operator new(10)); }), 1u);
  EXPECT_GT(allocations_of([&] { record(); }), 0u);
}

TEST_P(AllocationsTest, ReplayingMakesNone) {
  record();
  run();
  EXPECT_EQ(allocations_of([&] { run(); }), 0u);
}

TEST_P(AllocationsTest, RecordingAgainMakesNone) {
  record();
  run();
  EXPECT_EQ(allocations_of([&] {
              record();
              run();
            }),
            0u);
}

}  // namespace
}  // namespace ultr::allocations_test
