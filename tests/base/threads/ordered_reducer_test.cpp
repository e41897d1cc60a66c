#include "base/threads/ordered_reducer.h"

#include <atomic>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
  std::atomic<std::size_t> next = 0;
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&] {
      for (std::size_t i = next++; i < 1000; i = next++) in_order.put(i, i * i);
    });
  threads.clear();  // joins them
  for (std::size_t i = 0; i < 1000; ++i) expected.push_back(i * i);
  EXPECT_EQ(taken, expected);
}

}  // namespace
}  // namespace ultr::ordered_reducer_test
