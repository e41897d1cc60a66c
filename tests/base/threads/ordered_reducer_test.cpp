#include "base/threads/ordered_reducer.h"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tbb/parallel_for.h>

namespace ultr::ordered_reducer_test {
namespace {

using ::testing::ElementsAre;

TEST(OrderedReducerTest, TakesResultsByTheirNumbers) {
  std::vector<int> taken;
  OrderedReducer<int> in_order(5, [&](int result) { taken.push_back(result); });
  in_order.put(7, 70);
  in_order.put(6, 60);
  EXPECT_THAT(taken, ElementsAre()) << "the first is missing";
  in_order.put(5, 50);
  EXPECT_THAT(taken, ElementsAre(50, 60, 70));
  in_order.put(8, 80);
  EXPECT_THAT(taken, ElementsAre(50, 60, 70, 80));
}

TEST(OrderedReducerTest, FromAnyThread) {
  std::vector<std::size_t> taken, expected;
  OrderedReducer<std::size_t> in_order(0, [&](std::size_t result) { taken.push_back(result); });
  tbb::parallel_for(std::size_t{0}, std::size_t{1000},
                    [&](std::size_t i) { in_order.put(i, i * i); });
  for (std::size_t i = 0; i < 1000; ++i) expected.push_back(i * i);
  EXPECT_EQ(taken, expected);
}

}  // namespace
}  // namespace ultr::ordered_reducer_test
