#include "base/huge_page_allocator.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ultr::huge_page_allocator_test {
namespace {

constexpr std::size_t huge_page = std::size_t{1} << 21;

TEST(HugePageAllocatorTest, MemoryIsAlignedToCacheLinesAndLargeMemoryToHugePages) {
  for (const std::size_t size : {0u, 1u, 17u, 1000u, 524287u, 524288u, 600000u}) {
    const std::vector<float, HugePageAllocator<float>> memory(size);
    const std::size_t alignment = size * sizeof(float) < huge_page ? 64 : huge_page;
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.data()) % alignment, 0u) << size;
    EXPECT_EQ(memory.size(), size);
    EXPECT_THAT(memory, ::testing::Each(0.0f));
  }
}

// A sanitizer reports writes beyond the end of the memory.
TEST(HugePageAllocatorTest, WholeCacheLinesAreThere) {
  for (const std::size_t size : {1u, 17u, 524289u}) {
    HugePageAllocator<float> allocator;
    float* const memory = allocator.allocate(size);
    const std::size_t whole = (size + 15) / 16 * 16;
    std::fill_n(memory, whole, 1.5f);
    EXPECT_EQ(std::count(memory, memory + whole, 1.5f), whole);
    allocator.deallocate(memory, size);
  }
}

}  // namespace
}  // namespace ultr::huge_page_allocator_test
