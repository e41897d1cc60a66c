#include "autograd/tape/row_prefetcher.h"

#include <array>

#include <gtest/gtest.h>

#include "autograd/autograd.h"
#include "testing/tensors.h"

// A prefetch has no visible effect. These tests check that each row is requested once, that none
// beyond them is, and that results do not depend on it.

namespace ultr::row_prefetcher_test {
namespace {

TEST(RowPrefetcherTest, PrefetchesEachRowOnce) {
  const std::vector<float> table(64);
  const std::vector<std::uint32_t> rows = {3, 1, 0, 2, 3};
  RowPrefetcher prefetcher(table.data(), 16, rows);
  EXPECT_EQ(prefetcher.remaining(), 5u);
  prefetcher.prefetch(2);
  EXPECT_EQ(prefetcher.remaining(), 3u);
  prefetcher.prefetch(100);
  EXPECT_EQ(prefetcher.remaining(), 0u);
  prefetcher.prefetch(1);
  EXPECT_EQ(prefetcher.remaining(), 0u);
}

TEST(RowPrefetcherTest, WithoutRowsDoesNothing) {
  RowPrefetcher none;
  none.prefetch(8);
  EXPECT_EQ(none.remaining(), 0u);
}

TEST(RowPrefetcherTest, LastsForOneReplayAndDoesNotChangeItsResult) {
  std::vector<float> table = {1, 2, 3, 4};
  const ParameterView view{table.data(), Precision::float32, 4, 1, 1};
  const std::vector<std::uint32_t> now = {0, 2}, next = {3, 3};
  for (const Tape::Gradients gradients : {Tape::Gradients::off, Tape::Gradients::on}) {
    Tape tape(Precision::float32, gradients);
    const Index index = tape.index(2);
    tape.bind(index, now);
    const Tensor total = sum(softplus(gather(tape, view, index)));
    tape.require(std::array{total});
    tape.replay();
    const double expected = total.item();

    tape.prefetch_rows(index, next);
    EXPECT_EQ(tape.row_prefetcher().remaining(), 2u);
    tape.replay();
    EXPECT_EQ(total.item(), expected);
    EXPECT_EQ(tape.row_prefetcher().remaining(), 0u);
  }
}

TEST(RowPrefetcherTest, AnIndexThatNoGatherReadsHasNoRows) {
  const std::vector<std::uint32_t> rows = {0, 0};
  Tape tape;
  const Index index = tape.index(2);
  tape.prefetch_rows(index, rows);
  EXPECT_EQ(tape.row_prefetcher().remaining(), 0u);
}

}  // namespace
}  // namespace ultr::row_prefetcher_test
