#include "autograd/rows_ahead.h"

#include <array>

#include <gtest/gtest.h>

#include "autograd/autograd.h"
#include "testing/tensors.h"

// A prefetch has no visible effect. These tests check that each row is requested once, that none
// beyond them is, and that results do not depend on it.

namespace ultr::rows_ahead_test {
namespace {

TEST(RowsAheadTest, AsksForEachRowOnce) {
  const std::vector<float> table(64);
  const std::vector<std::uint32_t> rows = {3, 1, 0, 2, 3};
  RowsAhead ahead(table.data(), 16, rows);
  EXPECT_EQ(ahead.left(), 5u);
  ahead.ask(2);
  EXPECT_EQ(ahead.left(), 3u);
  ahead.ask(100);
  EXPECT_EQ(ahead.left(), 0u);
  ahead.ask(1);
  EXPECT_EQ(ahead.left(), 0u);
}

TEST(RowsAheadTest, NothingToAskFor) {
  RowsAhead none;
  none.ask(8);
  EXPECT_EQ(none.left(), 0u);
}

TEST(RowsAheadTest, IsForOneReplayAndLeavesItsResultAlone) {
  std::vector<float> table = {1, 2, 3, 4};
  const ParameterView view{table.data(), Precision::float32, 4, 1, 1};
  const std::vector<std::uint32_t> now = {0, 2}, next = {3, 3};
  Tape tape;
  const Index index = tape.index(2);
  tape.bind(index, now);
  const Tensor total = sum(softplus(gather(tape, view, index)));
  tape.require(std::array{total});
  tape.replay();
  const double expected = total.item();

  tape.read_ahead(index, next);
  EXPECT_EQ(tape.rows_ahead().left(), 2u);
  tape.replay();
  EXPECT_EQ(total.item(), expected);
  EXPECT_EQ(tape.rows_ahead().left(), 0u);
}

TEST(RowsAheadTest, AnIndexThatNothingIsGatheredByHasNone) {
  const std::vector<std::uint32_t> rows = {0, 0};
  Tape tape;
  const Index index = tape.index(2);
  tape.read_ahead(index, rows);
  EXPECT_EQ(tape.rows_ahead().left(), 0u);
}

}  // namespace
}  // namespace ultr::rows_ahead_test
