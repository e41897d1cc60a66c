#include "base/threads/background_queue.h"

#include <atomic>
#include <numeric>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

namespace ultr::background_queue_test {
namespace {

TEST(BackgroundQueueTest, TakesAllItemsInOrderOnAnotherThread) {
  std::vector<int> taken;
  const std::thread::id own = std::this_thread::get_id();
  bool elsewhere = true;
  BackgroundQueue<int> queue(3, [&](int item) {
    elsewhere &= std::this_thread::get_id() != own;
    taken.push_back(item);
  });
  std::vector<int> items(1000);
  std::iota(items.begin(), items.end(), 0);
  for (const int item : items) queue.put(item);
  queue.finish();
  EXPECT_EQ(taken, items);
  EXPECT_TRUE(elsewhere);
}

TEST(BackgroundQueueTest, NoMoreItemsWaitThanMay) {
  std::atomic<int> made = 0, taken = 0, most = 0;
  BackgroundQueue<int> queue(4, [&](int) { most = std::max(most.load(), made - taken++); });
  for (int i = 0; i < 1000; ++i) {
    ++made;
    queue.put(i);
  }
  queue.finish();
  EXPECT_EQ(taken, 1000);
  EXPECT_LE(most, 4 + 2);  // one is taken, and one waits for room
}

TEST(BackgroundQueueTest, AnErrorReachesWhoPutsItems) {
  std::vector<int> taken;
  const auto take = [&](int item) {
    if (item == 2) throw std::runtime_error("full");
    taken.push_back(item);
  };
  {
    BackgroundQueue<int> queue(1, take);
    EXPECT_THROW(
        {
          for (int i = 0; i < 1000; ++i) queue.put(i);
        },
        std::runtime_error);
    EXPECT_THROW(queue.finish(), std::runtime_error);
  }
  EXPECT_EQ(taken, (std::vector<int>{0, 1}));
}

TEST(BackgroundQueueTest, ItemsThatWaitAreDroppedIfWhoPutsThemFails) {
  std::atomic<bool> goes_on = false;
  std::atomic<int> taken = 0;
  {
    BackgroundQueue<int> queue(10, [&](int) {
      ++taken;
      while (!goes_on) std::this_thread::yield();
    });
    for (int i = 0; i < 5; ++i) queue.put(i);
    while (taken == 0) std::this_thread::yield();
    goes_on = true;
  }
  EXPECT_GE(taken, 1);
}

}  // namespace
}  // namespace ultr::background_queue_test
