#include "autograd/ops/outcomes.h"

#include <cstdint>

#include <gtest/gtest.h>

#include "autograd/ops/logspace.h"
#include "autograd/ops/reductions.h"
#include "autograd/tape/tape.h"
#include "testing/errors.h"
#include "testing/tensors.h"

// logspace_test.cpp compares log_both with the ops that it combines.

namespace ultr::outcomes_test {
namespace {

using testing::variable;
using Numbers = std::vector<double>;
using Bytes = std::vector<std::uint8_t>;

Mask mask_of(Tape& tape, const Bytes& bytes) {
  const Mask mask = tape.mask(static_cast<std::int64_t>(bytes.size()));
  tape.bind(mask, bytes);
  return mask;
}

TEST(OutcomesTest, AnOutcomeIsALogSigmoidOrThatOfTheComplement) {
  const Numbers x = {-700, -80, -20, -3, -0.1, -0.0, 0, 1e-30, 0.4, 3, 20, 80, 700};
  for (const Precision precision : {Precision::float32, Precision::float64})
    for (const bool happened : {false, true}) {
      Tape tape(precision);
      const Bytes bytes(x.size(), happened ? 1 : 0);
      const Tensor seen = variable(tape, x), expected = variable(tape, x);
      const Tensor outcome = log_outcome(mask_of(tape, bytes), seen),
                   log_p = happened ? log_sigmoid(expected) : log_one_minus_sigmoid(expected);
      EXPECT_EQ(outcome.values(), log_p.values());
      tape.backward(sum(outcome));
      const Numbers slopes = seen.gradient();
      tape.backward(sum(log_p));
      EXPECT_EQ(slopes, expected.gradient());
    }
}

TEST(OutcomesTest, LogitsThatDoNotFitAreErrors) {
  Tape tape;
  const Bytes bytes = {0, 1, 1};
  const Mask three = mask_of(tape, bytes);
  const Tensor two = variable(tape, {1, 2}), scalar = tape.constant(1);
  EXPECT_EQ(testing::shape_error([&] { log_outcome(three, two); }),
            "log_outcome: the outcomes are [3], a logit is [2]; expected the same length or a "
            "scalar");
  EXPECT_EQ(testing::shape_error([&] { log_both(three, scalar, two); }),
            "log_both: the outcomes are [3], a logit is [2]; expected the same length or a scalar");
  Tape elsewhere;
  EXPECT_EQ(testing::shape_error([&] { log_outcome(three, elsewhere.constant(1)); }),
            "log_outcome: the operands are on different tapes");
  EXPECT_EQ(log_outcome(three, scalar).values().size(), 3u);
}

}  // namespace
}  // namespace ultr::outcomes_test
