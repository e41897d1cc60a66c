#include <gtest/gtest.h>

#include "base/threads/background_source.h"
#include "testing/allocations.h"

namespace ultr::background_allocations_test {
namespace {

TEST(BackgroundAllocationsTest, ItemsWaitWithoutNewMemory) {
  // Its lack would end the process, on a thread that cannot report it.
  int made = 0;
  BackgroundSource<int> source(4, [&]() -> std::optional<int> { return made++; });
  EXPECT_EQ(source.next(), 0);
  const std::size_t before = testing::allocations();
  for (int i = 1; i < 2000; ++i) ASSERT_EQ(source.next(), i);
  EXPECT_EQ(testing::allocations(), before);
}

TEST(BackgroundAllocationsTest, ItemsOfSeveralThreadsWaitWithoutNewMemory) {
  int taken = 0;
  BackgroundSource<int> source(
      2, 4, [&]() -> std::optional<int> { return taken++; },
      [](std::size_t, int input) { return input; });
  EXPECT_EQ(source.next(), 0);
  const std::size_t before = testing::allocations();
  for (int i = 1; i < 2000; ++i) ASSERT_EQ(source.next(), i);
  EXPECT_EQ(testing::allocations(), before);
}

}  // namespace
}  // namespace ultr::background_allocations_test
