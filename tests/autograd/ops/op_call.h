#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/op_list.h"
#include "autograd/ops/reductions.h"
#include "autograd/tape/tape.h"
#include "testing/gradient.h"

/// Calls of the ops in op_list.h, for tests of properties that all ops have.
namespace ultr::testing {

inline constexpr std::array precisions = {Precision::float32, Precision::float64};

using Numbers = std::vector<double>;

/// One operand of one call.
struct Argument {
  Shape shape;
  Numbers values;
  bool constant = false;
};
using Arguments = std::vector<Argument>;

/// The value and gradients that a call gives.
struct Outcome {
  Numbers value;
  std::vector<Numbers> gradients;

  bool same_bits(const Outcome& other) const {
    return std::equal(gradients.begin(), gradients.end(), other.gradients.begin(),
                      other.gradients.end(), bits_equal) &&
           bits_equal(value, other.value);
  }
  static bool bits_equal(const Numbers& a, const Numbers& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](double x, double y) {
      return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
    });
  }
};

/// Returns weights without a pattern for the elements of a result.
inline Numbers weights(std::int64_t count) {
  Numbers numbers(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = 0.5 + std::sin(1.0 + static_cast<double>(i));
  return numbers;
}

inline Tensor weighted_sum(Tensor y) {
  return sum(y * y.tape().constant(y.shape(), weights(y.size())));
}

/// A loss made from an op's result and its operands.
using Loss = std::function<Tensor(Tensor, std::span<const Tensor>)>;
inline const Loss weighted = [](Tensor y, std::span<const Tensor>) { return weighted_sum(y); };
inline const Loss unweighted = [](Tensor y, std::span<const Tensor>) { return sum(y); };

/// A recorded call of an op.
class Call {
 public:
  Call(const Op& op, const Arguments& arguments, Precision precision, const Loss& loss = weighted)
      : tape_(precision) {
    for (const Argument& argument : arguments)
      operands_.push_back(argument.constant ? tape_.constant(argument.shape, argument.values)
                                            : tape_.variable(argument.shape, argument.values));
    result_ = op.apply(operands_);
    loss_ = loss(result_, operands_);
  }

  Outcome outcome() {
    tape_.backward(loss_);
    Outcome outcome{result_.values(), {}};
    for (const Tensor& operand : operands_) outcome.gradients.push_back(operand.gradient());
    return outcome;
  }
  void assign(const Arguments& arguments) {
    for (std::size_t i = 0; i < arguments.size(); ++i)
      tape_.assign(operands_[i], arguments[i].values);
    tape_.replay();
  }
  const Shape& shape() const { return result_.shape(); }

 private:
  Tape tape_;
  std::vector<Tensor> operands_;
  Tensor result_, loss_;
};

inline Outcome outcome_of(const Op& op, const Arguments& arguments, Precision precision,
                          const Loss& loss = weighted) {
  return Call(op, arguments, precision, loss).outcome();
}

/// Returns ordinary arguments for a test of size n; all are exact in float32.
inline Arguments ordinary(const Op& op, std::int64_t n, unsigned seed = 1) {
  Arguments arguments;
  for (const Operand& operand : op.operands) {
    Argument argument{operand.shape(n), {}};
    const auto count = static_cast<std::size_t>(argument.shape.capacity());
    argument.values = draw({operand.domain.low, operand.domain.high, count}, seed++);
    for (double& x : argument.values) x = static_cast<float>(x);
    arguments.push_back(std::move(argument));
  }
  return arguments;
}

inline void expect_close(const Numbers& actual, const Numbers& expected, double relative,
                         double floor) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i)
    EXPECT_LE(std::abs(actual[i] - expected[i]), relative * std::abs(expected[i]) + floor)
        << "element " << i << ": got " << actual[i] << ", expected " << expected[i];
}

}  // namespace ultr::testing
