#include "base/threads/background_source.h"

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

namespace ultr::background_source_test {
namespace {

/// Returns a function that makes 0, 1, ... `count` - 1.
auto numbers_below(int count, int& made) {
  return [count, &made]() -> std::optional<int> {
    if (made == count) return std::nullopt;
    return made++;
  };
}

TEST(BackgroundSourceTest, GivesAllItemsInOrderFromAnotherThread) {
  const std::thread::id own = std::this_thread::get_id();
  std::atomic<bool> elsewhere = true;
  int made = 0;
  BackgroundSource<int> source(3, [&, make = numbers_below(1000, made)]() {
    if (std::this_thread::get_id() == own) elsewhere = false;
    return make();
  });
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(source.next(), i);
  EXPECT_EQ(source.next(), std::nullopt);
  EXPECT_EQ(source.next(), std::nullopt);
  EXPECT_TRUE(elsewhere);
}

TEST(BackgroundSourceTest, NoMoreItemsWaitThanMay) {
  std::atomic<int> made = 0, taken = 0, most = 0;
  BackgroundSource<int> source(4, [&]() -> std::optional<int> {
    if (made == 1000) return std::nullopt;
    most = std::max(most.load(), made - taken);
    return made++;
  });
  while (source.next()) ++taken;
  EXPECT_EQ(taken, 1000);
  EXPECT_LE(most, 4);  // three wait, and one was given but is not counted yet
}

TEST(BackgroundSourceTest, AnErrorComesAfterTheItemsBeforeIt) {
  int made = 0;
  BackgroundSource<int> source(2, [&]() -> std::optional<int> {
    if (made == 5) throw std::runtime_error("torn");
    return made++;
  });
  for (int i = 0; i < 5; ++i) ASSERT_EQ(source.next(), i);
  EXPECT_THROW(source.next(), std::runtime_error);
  EXPECT_EQ(source.next(), std::nullopt);
}

TEST(BackgroundSourceTest, ItemsThatNobodyTakesAreDropped) {
  std::atomic<int> made = 0;
  {
    BackgroundSource<int> source(3, [&]() -> std::optional<int> { return made++; });
    while (made < 3) std::this_thread::yield();
  }
  EXPECT_EQ(made, 3);
}

}  // namespace
}  // namespace ultr::background_source_test
