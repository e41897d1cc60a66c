#include "base/arena.h"

#include <array>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

namespace ultr::arena_test {
namespace {

std::uintptr_t address(const void* memory) { return reinterpret_cast<std::uintptr_t>(memory); }

TEST(ArenaTest, AllocationsAreAlignedToACacheLineWithOneOfSlack) {
  Arena arena;
  std::uintptr_t end = 0;
  for (const std::size_t bytes : {0, 1, 63, 64, 65, 1000}) {
    std::byte* memory = arena.allocate(bytes);
    EXPECT_EQ(address(memory) % Arena::alignment, 0u) << bytes;
    EXPECT_GE(address(memory), end) << bytes;
    end = address(memory) + bytes + Arena::alignment;
    std::memset(memory, 0xff, bytes + Arena::alignment);
  }
}

TEST(ArenaTest, CopiesAndCreatesValues) {
  Arena arena;
  const std::array numbers = {3, 1, 4};
  const auto copy = arena.copy(std::span<const int>(numbers));
  EXPECT_EQ(std::vector(copy.begin(), copy.end()), std::vector(numbers.begin(), numbers.end()));
  EXPECT_NE(address(copy.data()), address(numbers.data()));
  EXPECT_TRUE(arena.copy(std::span<const int>()).empty());
  EXPECT_EQ(*arena.create(2.5), 2.5);
}

TEST(ArenaTest, ResetHandsOutTheSameMemoryAgain) {
  Arena arena;
  const auto allocate_all = [&] {
    std::vector<std::byte*> memory;
    for (std::size_t i = 0; i < 100; ++i) memory.push_back(arena.allocate(i * 1000));
    return memory;
  };
  const auto first = allocate_all();
  const std::size_t capacity = arena.capacity();
  arena.reset();
  EXPECT_EQ(allocate_all(), first);
  EXPECT_EQ(arena.capacity(), capacity);
}

TEST(ArenaTest, CapacityCountsAllBlocks) {
  Arena arena;
  EXPECT_EQ(arena.capacity(), 0u);
  arena.allocate(1);
  const std::size_t small = arena.capacity();
  EXPECT_GE(small, 1 + Arena::alignment);
  arena.allocate(10 * small);
  EXPECT_GE(arena.capacity(), 11 * small);
}

}  // namespace
}  // namespace ultr::arena_test
