#include "autograd/tape/partial_replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/gather.h"
#include "autograd/ops/slice.h"

namespace ultr::partial_replay_test {
namespace {

using ::testing::ElementsAre;

TEST(PartialReplayTest, RunsOnlyWhatDependsOnTheLeaf) {
  Tape tape(Precision::float64, Tape::Gradients::off);
  const Tensor other = tape.input(Shape::vector(3));
  const Index rows = tape.index(2);
  const Tensor squares = square(other);
  const Tensor chosen = take(squares, rows);
  const Tensor last = slice(chosen + 1, {1, 1});
  const Tensor unused = chosen * 2;
  tape.require(std::array{squares, last});

  const std::vector<double> first = {1, 2, 3}, second = {10, 20, 30};
  const std::vector<std::uint32_t> low = {0, 1}, high = {1, 2};
  tape.bind(other, first);
  tape.bind(rows, low);
  tape.replay();
  EXPECT_THAT(last.values(), ElementsAre(5));

  PartialReplay replay(tape, rows.node);
  EXPECT_TRUE(replay.affects(chosen));
  EXPECT_TRUE(replay.affects(last));
  EXPECT_TRUE(replay.affects(unused));
  EXPECT_FALSE(replay.affects(squares));
  EXPECT_FALSE(replay.affects(other));
  tape.bind(rows, high);
  tape.bind(other, second);  // not read: the squares keep their values
  replay.run();
  EXPECT_THAT(last.values(), ElementsAre(10));
  EXPECT_THAT(squares.values(), ElementsAre(1, 4, 9));
  tape.replay();
  EXPECT_THAT(last.values(), ElementsAre(901));
}

}  // namespace
}  // namespace ultr::partial_replay_test
