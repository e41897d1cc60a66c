#include "autograd/tape/tape.h"

#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "autograd/autograd.h"
#include "testing/errors.h"
#include "testing/gradient.h"
#include "testing/tensors.h"

// slice_test.cpp tests views; tape_require_test.cpp tests require().

namespace ultr::tape_test {
namespace {

using testing::constant;
using testing::shape_error;
using testing::variable;
using Numbers = std::vector<double>;
using Rows = std::vector<std::uint32_t>;
using Bytes = std::vector<std::uint8_t>;

/// Returns x and counts how often it is computed.
Tensor counted(Tensor x, int& runs) {
  const auto forward = [](Tape& tape, Node& node) {
    ++**static_cast<int* const*>(node.closure);
    node.value = tape.input_of(node, 0).value;
  };
  static constexpr Kernels kernels = {{forward}, {forward}};
  Tape& tape = x.tape();
  const auto recorded =
      tape.record("counted", NodeKind::real, x.shape(), &kernels, std::array{x.node()}, false);
  recorded.node.closure = tape.arena().create(&runs);
  return tape.tensor(recorded);
}

TEST(TapeTest, HandlesAreSmallAndShowWhatTheyHold) {
  EXPECT_EQ(sizeof(Tensor), 16u);
  Tape tape;
  const Tensor x = variable(tape, 2, 3, {1, 2, 3, 4, 5, 6}), c = tape.constant(2.5);
  EXPECT_EQ(x.shape(), Shape::matrix(2, 3));
  EXPECT_EQ(x.size(), 6);
  EXPECT_EQ(x.values(), (Numbers{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(c.item(), 2.5);
  EXPECT_EQ(shape_error([&] { x.item(); }), "item: the tensor is [2, 3]; expected one element");
  EXPECT_EQ(tape.size(), 2u);
}

TEST(TapeTest, EverythingOnATapeHasItsPrecision) {
  Tape narrow(Precision::float32), wide(Precision::float64);
  EXPECT_EQ(variable(narrow, {0.1}).item(), static_cast<double>(0.1f));
  EXPECT_EQ(variable(wide, {0.1}).item(), 0.1);
  EXPECT_EQ((variable(narrow, {0.1}) * 3).item(), static_cast<double>(0.1f * 3.f));
}

TEST(TapeTest, RecordingComputesNothingAndForwardRunsNewOps) {
  Tape tape;
  int first = 0, second = 0;
  const Tensor x = variable(tape, {1, 2}), y = counted(x, first);
  EXPECT_EQ(first, 0);
  EXPECT_EQ(y.values(), (Numbers{1, 2}));
  EXPECT_EQ(first, 1);
  const Tensor z = counted(y, second);
  z.values();
  y.values();
  EXPECT_EQ(first, 1);
  EXPECT_EQ(second, 1);
  tape.replay();
  EXPECT_EQ(first, 2);
  EXPECT_EQ(second, 2);
}

TEST(TapeTest, LeavesNeedAsManyValuesAsTheyHave) {
  Tape tape;
  const Numbers two = {1, 2};
  EXPECT_EQ(shape_error([&] { tape.variable(Shape::matrix(2, 2), two); }),
            "variable: 2 values for a tensor of [2, 2]; expected 4");
  EXPECT_EQ(shape_error([&] { tape.constant(Shape::vector(3), two); }),
            "constant: 2 values for a tensor of [3]; expected 3");
  const Tensor x = variable(tape, {1, 2, 3});
  EXPECT_EQ(shape_error([&] { tape.assign(x, two); }),
            "variable: 2 values for a tensor of [3]; expected 3");
}

TEST(TapeTest, BindErrorsNameTheExpectation) {
  Tape tape;
  const Extent rows = tape.extent(10), fixed(3);
  EXPECT_EQ(shape_error([&] { tape.bind(rows, 11); }), "bind: size 11; expected 0 to 10");
  EXPECT_EQ(shape_error([&] { tape.bind(rows, -1); }), "bind: size -1; expected 0 to 10");
  EXPECT_EQ(shape_error([&] { tape.bind(fixed, 4); }), "bind: size 4; expected exactly 3");
  tape.bind(fixed, 3);
  tape.bind(rows, 3);
  const Tensor input = tape.input(Shape::vector(rows));
  const Mask mask = tape.mask(rows);
  const Index index = tape.index(rows);
  const std::vector<float> floats(2);
  EXPECT_EQ(shape_error([&] { tape.bind(input, floats); }),
            "input: 2 values for a tensor of [<=10]; expected 3");
  EXPECT_EQ(shape_error([&] { tape.bind(input, Numbers(4)); }),
            "input: 4 values for a tensor of [<=10]; expected 3");
  EXPECT_EQ(shape_error([&] { tape.bind(mask, Bytes(2)); }),
            "mask: 2 values for a tensor of [<=10]; expected 3");
  EXPECT_EQ(shape_error([&] { tape.bind(index, Rows(4)); }),
            "index: 4 values for a tensor of [<=10]; expected 3");
}

TEST(TapeTest, InputsOfTheTapesTypeAreReadInPlaceAndOthersCopied) {
  std::vector<float> floats = {1, 2};
  Numbers doubles = {3, 4};
  Tape narrow(Precision::float32), wide(Precision::float64);
  for (Tape* tape : {&narrow, &wide}) {
    const bool is_narrow = tape == &narrow;
    const Tensor x = tape->input(Shape::vector(2)), y = tape->input(Shape::vector(2));
    const Tensor z = x + 10 * y;
    tape->bind(x, floats);
    tape->bind(y, doubles);
    EXPECT_EQ(z.values(), (Numbers{1 + 30, 2 + 40}));
    floats[0] = 5;
    doubles[0] = 7;
    tape->replay();
    EXPECT_EQ(z.values()[0], is_narrow ? 5 + 30 : 1 + 70);
    tape->bind(x, doubles);  // and again with the other type
    tape->bind(y, floats);
    tape->replay();
    EXPECT_EQ(z.values()[0], 7 + 50);
    EXPECT_EQ(x.gradient(), (Numbers{0, 0}));
    floats[0] = 1;
    doubles[0] = 3;
  }
}

/// A program of many ops on `rows` rows: the loss and the leaves to bind.
struct Program {
  Tensor input, weights, loss;
  Mask mask;
  Index index;
  Segments segments;

  static Program record(Tape& tape, Extent rows, Extent offsets, Extent count) {
    Program p;
    p.input = tape.input(Shape::matrix(rows, 3));
    p.mask = tape.mask(rows);
    p.index = tape.index(rows);
    p.segments = make_segments(tape, offsets, count);
    p.weights = variable(tape, 3, 2, {0.5, -1, 2, 0.25, -0.5, 1});
    const Tensor hidden = tanh(matmul(p.input, p.weights) + variable(tape, {0.1, -0.2}));
    const Tensor score = sum(hidden * hidden, Axis::columns);
    const Tensor chosen = where(p.mask, log_sigmoid(score), take(score, p.index));
    const Tensor shares = segment_log_softmax(chosen, p.segments);
    p.loss = sum(segment_logsumexp(chosen, p.segments)) + sum(shares * score) +
             logsumexp(cumulative_sum(score)) + mean(max(hidden, Axis::columns));
    return p;
  }
};

struct Batch {
  Rows offsets;
  Numbers numbers;
  Bytes bytes;
  Rows rows;

  explicit Batch(const std::vector<std::uint32_t>& lengths) : offsets{0} {
    for (const std::uint32_t length : lengths) offsets.push_back(offsets.back() + length);
    numbers = testing::draw({-1, 1, std::size_t{3} * offsets.back()}, offsets.back());
    for (std::uint32_t i = 0; i < offsets.back(); ++i) {
      bytes.push_back(i % 3 == 1 ? 1 : 0);
      rows.push_back((i * 5 + 1) % offsets.back());
    }
  }
  std::int64_t size() const { return offsets.back(); }
  std::int64_t count() const { return static_cast<std::int64_t>(offsets.size()) - 1; }
  void bind(Tape& tape, const Program& program) const {
    tape.bind(program.input, numbers);
    tape.bind(program.mask, bytes);
    tape.bind(program.index, rows);
    tape.bind(program.segments.offsets, offsets);
  }
};

TEST(TapeTest, ReplayWithSmallerSizesEqualsAFreshRecording) {
  for (const Precision precision : {Precision::float32, Precision::float64}) {
    Tape tape(precision);
    const Extent rows = tape.extent(40), offsets = tape.extent(6), count = tape.extent(5);
    const Program program = Program::record(tape, rows, offsets, count);
    for (const auto& lengths :
         std::vector<std::vector<std::uint32_t>>{{10, 1, 20, 4, 5}, {7, 2}, {1}, {16, 24}}) {
      const Batch batch(lengths);
      tape.bind(rows, batch.size());
      tape.bind(count, batch.count());
      tape.bind(offsets, batch.count() + 1);
      batch.bind(tape, program);
      tape.replay();
      tape.backward(program.loss);

      Tape fresh(precision);
      const Program same = Program::record(fresh, batch.size(), batch.count() + 1, batch.count());
      batch.bind(fresh, same);
      fresh.backward(same.loss);
      EXPECT_EQ(program.loss.item(), same.loss.item());
      EXPECT_EQ(program.weights.gradient(), same.weights.gradient());
    }
  }
}

TEST(TapeTest, ResetAndRecordingAgainGivesTheSameInTheSameMemory) {
  const Batch batch({10, 1, 20, 4, 5});
  Tape tape;
  std::size_t memory = 0;
  Numbers first;
  for (int round = 0; round < 3; ++round) {
    tape.reset();
    EXPECT_EQ(tape.size(), 0u);
    const Program program = Program::record(tape, batch.size(), 6, 5);
    batch.bind(tape, program);
    tape.backward(program.loss);
    Numbers outcome = program.weights.gradient();
    outcome.push_back(program.loss.item());
    if (round == 0) {
      first = outcome;
      memory = tape.memory();
    }
    EXPECT_EQ(outcome, first);
    EXPECT_EQ(tape.memory(), memory);
  }
  EXPECT_GT(memory, 0u);
}

TEST(TapeTest, BackwardTwiceGivesTheSameGradients) {
  const Batch batch({10, 1, 20, 4, 5});
  Tape tape;
  const Program program = Program::record(tape, batch.size(), 6, 5);
  batch.bind(tape, program);
  tape.backward(program.loss);
  const Numbers first = program.weights.gradient();
  tape.backward(program.loss);
  EXPECT_EQ(program.weights.gradient(), first);
}

TEST(TapeTest, SeedScalesAllGradients) {
  for (const Precision precision : {Precision::float32, Precision::float64}) {
    Tape tape(precision);
    const Tensor x = variable(tape, {1, 2}), loss = sum(square(x));
    tape.backward(loss, -3);
    EXPECT_EQ(x.gradient(), (Numbers{-3 * 2 * 1, -3 * 2 * 2}));
    EXPECT_EQ(loss.gradient(), (Numbers{-3}));
    tape.backward(loss, 0);
    EXPECT_EQ(x.gradient(), (Numbers{0, 0}));
  }
}

TEST(TapeTest, LossesTakeTurns) {
  Tape tape(Precision::float64);
  const Tensor x = variable(tape, {1, 2}), y = variable(tape, {3, 4});
  const Tensor squares = sum(square(x)), product = sum(x * y);
  for (int round = 0; round < 2; ++round) {
    tape.backward(squares);
    EXPECT_EQ(x.gradient(), (Numbers{2 * 1, 2 * 2}));
    EXPECT_EQ(y.gradient(), (Numbers{0, 0}));  // not the gradient of the other loss
    tape.backward(product);
    EXPECT_EQ(x.gradient(), (Numbers{3, 4}));
    EXPECT_EQ(y.gradient(), (Numbers{1, 2}));
  }
}

TEST(TapeTest, ProgramsMayGrowAfterABackwardPass) {
  Tape tape(Precision::float64);
  const Tensor x = variable(tape, {1, 2}), y = square(x), loss = sum(y);
  tape.backward(loss);
  const Tensor more = loss + sum(slice(y, {0, 1}));
  EXPECT_EQ(more.item(), 1 + 4 + 1);
  tape.backward(more);
  EXPECT_EQ(x.gradient(), (Numbers{2 * 2 * 1, 2 * 2}));
  tape.backward(loss);
  EXPECT_EQ(x.gradient(), (Numbers{2 * 1, 2 * 2}));
}

TEST(TapeTest, AnyTensorOfOneElementCanBeTheLoss) {
  Tape tape(Precision::float64);
  const Tensor scalar = tape.variable(Shape::scalar(), Numbers{5}), one = variable(tape, {6});
  const Tensor matrix = variable(tape, 1, 1, {7}), fixed = tape.constant(8);
  for (const Tensor loss : {scalar, one, matrix}) {
    tape.backward(loss);
    EXPECT_EQ(loss.gradient(), (Numbers{1}));
  }
  tape.backward(fixed);
  EXPECT_EQ(fixed.gradient(), (Numbers{0}));
  EXPECT_EQ(scalar.gradient(), (Numbers{0}));
  EXPECT_EQ(shape_error([&] {
              tape.backward(variable(tape, {1, 2}));
            }),
            "backward: the loss is [2]; expected one element");
  const Extent rows = tape.extent(1);
  EXPECT_EQ(shape_error([&] { tape.backward(tape.input(Shape::vector(rows))); }),
            "backward: the loss is [<=1]; expected one element");
}

TEST(TapeTest, ValuesAreTheSameWithoutGradients) {
  const Batch batch({10, 1, 20, 4, 5});
  Tape with, without(Precision::float32, Tape::Gradients::off);
  Numbers losses;
  for (Tape* tape : {&with, &without}) {
    const Program program = Program::record(*tape, batch.size(), 6, 5);
    batch.bind(*tape, program);
    losses.push_back(program.loss.item());
    EXPECT_EQ(program.weights.gradient(), Numbers(6, 0));
    if (tape == &with) continue;
    try {
      tape->backward(program.loss);
      ADD_FAILURE() << "no error";
    } catch (const Error& error) {
      EXPECT_STREQ(error.what(), "backward: this tape was made without gradients");
    }
  }
  EXPECT_EQ(losses[0], losses[1]);
}

TEST(TapeTest, ATapeIsUsableAfterAnError) {
  Tape tape(Precision::float64);
  const Extent count = tape.extent(5);
  const Tensor x = variable(tape, {1, 2, 3}), y = slice(x, {0, count}), loss = sum(y);
  EXPECT_EQ(shape_error([&] { loss.item(); }), "slice: rows 0 to 5 of 3");
  EXPECT_EQ(shape_error([&] { tape.backward(loss); }), "slice: rows 0 to 5 of 3");
  tape.bind(count, 2);
  tape.backward(loss);
  EXPECT_EQ(loss.item(), 1 + 2);
  EXPECT_EQ(x.gradient(), (Numbers{1, 1, 0}));
}

TEST(TapeTest, OperandsOfDifferentTapesAreRefused) {
  Tape tape, other;
  const std::array both = {variable(tape, {1}), variable(other, {1})};
  EXPECT_EQ(shape_error([&] { common_tape("some_op", both); }),
            "some_op: the operands are on different tapes");
  EXPECT_EQ(&common_tape("some_op", std::span(both).first(1)), &tape);
}

}  // namespace
}  // namespace ultr::tape_test
