#include "base/threads/background_source.h"

#include <algorithm>
#include <atomic>
#include <barrier>
#include <stdexcept>
#include <string>

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

TEST(BackgroundSourceTest, SeveralThreadsMakeItemsInTheOrderOfTheirInputs) {
  int inputs = 0;  // not atomic: it is never taken twice at once
  std::atomic<std::size_t> largest_thread = 0;
  BackgroundSource<std::string, int> source(
      4, 8, numbers_below(5000, inputs), [&](std::size_t thread, int input) {
        largest_thread = std::max(largest_thread.load(), thread);
        if (input % 3 == 0) std::this_thread::yield();
        return std::to_string(input);
      });
  for (int i = 0; i < 5000; ++i) ASSERT_EQ(source.next(), std::to_string(i));
  EXPECT_EQ(source.next(), std::nullopt);
  EXPECT_LT(largest_thread, 4u);
}

TEST(BackgroundSourceTest, ItemsAreMadeAtTheSameTime) {
  int inputs = 0;
  std::barrier all(3);  // nobody gets past it alone
  BackgroundSource<int> source(3, 6, numbers_below(30, inputs), [&](std::size_t, int input) {
    all.arrive_and_wait();
    return input;
  });
  for (int i = 0; i < 30; ++i) ASSERT_EQ(source.next(), i);
}

TEST(BackgroundSourceTest, NoItemFollowsOneThatCannotBeMade) {
  int inputs = 0;
  BackgroundSource<int> source(3, 6, numbers_below(1000, inputs), [](std::size_t, int input) {
    if (input == 50) throw std::runtime_error("torn");
    return input;
  });
  for (int i = 0; i < 50; ++i) ASSERT_EQ(source.next(), i);
  EXPECT_THROW(source.next(), std::runtime_error);
  EXPECT_EQ(source.next(), std::nullopt);
  EXPECT_LE(inputs, 50 + 1 + 6);
}

TEST(BackgroundSourceTest, WithoutThreadsItemsAreMadeWhereTheyAreTaken) {
  int inputs = 0;
  BackgroundSource<std::thread::id, int> source(
      0, 2, numbers_below(3, inputs), [](std::size_t, int) { return std::this_thread::get_id(); });
  EXPECT_EQ(inputs, 0);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(source.next(), std::this_thread::get_id());
  EXPECT_EQ(source.next(), std::nullopt);
  EXPECT_EQ(source.next(), std::nullopt);
}

}  // namespace
}  // namespace ultr::background_source_test
