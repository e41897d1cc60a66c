#include "autograd/tape/map_index.h"

#include <gtest/gtest.h>

#include "autograd/ops/gather.h"
#include "autograd/ops/reductions.h"
#include "autograd/ops/slice.h"
#include "testing/tensors.h"

namespace ultr::map_index_test {
namespace {

using testing::variable;
using Numbers = std::vector<double>;
using Rows = std::vector<std::uint32_t>;

class MapIndexTest : public ::testing::TestWithParam<Precision> {
 protected:
  Tape tape_{GetParam()};
};

INSTANTIATE_TEST_SUITE_P(Precisions, MapIndexTest,
                         ::testing::Values(Precision::float32, Precision::float64),
                         [](const auto& test) {
                           return test.param == Precision::float32 ? "float32" : "float64";
                         });

TEST_P(MapIndexTest, IsComputedInEachRun) {
  const Extent rows = tape_.extent(40);
  const Index index = tape_.index(rows);
  const Index mapped =
      map_index("mapped", index, [offset = 1u](std::uint32_t i) { return (3 * i + offset) % 4; });
  const Tensor table = variable(tape_, {10, 20, 30, 40}), y = take(table, mapped), loss = sum(y);
  tape_.require(std::array{loss});
  for (const std::uint32_t n : {40u, 3u, 0u, 17u}) {
    Rows entries;
    Numbers expected, uses(4, 0.0);
    for (std::uint32_t i = 0; i < n; ++i) {
      entries.push_back(i * n + 4'000'000'000u);
      const std::uint32_t row = (3 * entries.back() + 1) % 4;
      expected.push_back(10 * (row + 1));
      uses[row] += 1;
    }
    tape_.bind(rows, n);
    tape_.bind(index, entries);
    tape_.replay();
    EXPECT_EQ(y.values(), expected);
    tape_.backward(loss);
    EXPECT_EQ(table.gradient(), uses);
  }
}

TEST_P(MapIndexTest, MapsOfMapsAndSlicesOfMaps) {
  const Rows entries = {0, 1, 2, 3};
  const Index index = tape_.index(4);
  tape_.bind(index, entries);
  const auto reversed = [](std::uint32_t i) { return 3 - i; };
  const Index once = map_index("once", index, reversed), twice = map_index("twice", once, reversed);
  const Tensor table = variable(tape_, {1, 2, 3, 4});
  EXPECT_EQ(take(table, once).values(), (Numbers{4, 3, 2, 1}));
  EXPECT_EQ(take(table, twice).values(), (Numbers{1, 2, 3, 4}));
  EXPECT_EQ(take(table, slice(once, {1, 2})).values(), (Numbers{3, 2}));
}

TEST_P(MapIndexTest, IsComputedOnlyIfNeeded) {
  const Index index = tape_.index(2);  // never bound: reading it would be an invalid access
  const Index mapped = map_index("mapped", index, [](std::uint32_t i) { return i; });
  const Tensor table = variable(tape_, {1, 2});
  take(table, mapped);
  const Tensor loss = sum(table);
  tape_.require(std::array{loss});
  tape_.replay();
  EXPECT_EQ(loss.item(), 1 + 2);
}

}  // namespace
}  // namespace ultr::map_index_test
