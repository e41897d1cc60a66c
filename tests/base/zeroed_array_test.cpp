#include "base/zeroed_array.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>

#include <gtest/gtest.h>

namespace ultr::zeroed_array_test {
namespace {

constexpr std::size_t huge_page = std::size_t{1} << 21;
constexpr std::size_t huge_page_floats = huge_page / sizeof(float);

std::span<float> all(ZeroedArray<float>& array) { return {array.data(), array.size()}; }

bool are_all(std::span<const float> numbers, float value) {
  return std::ranges::all_of(numbers, [&](float x) { return x == value; });
}

void expect_aligned(const ZeroedArray<float>& array) {
  const std::size_t alignment = array.size() < huge_page_floats ? 64 : huge_page;
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(array.data()) % alignment, 0u) << array.size();
}

TEST(ZeroedArrayTest, MemoryIsZeroAndAlignedToCacheLinesOrHugePages) {
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, std::size_t{17}, std::size_t{1000}, huge_page_floats - 1,
        huge_page_floats, huge_page_floats + 75712}) {
    ZeroedArray<float> array(size);
    EXPECT_EQ(array.size(), size);
    expect_aligned(array);
    EXPECT_TRUE(are_all(all(array), 0.0f)) << size;
  }
}

// A sanitizer reports writes beyond the end of the memory.
TEST(ZeroedArrayTest, WholeCacheLinesAreWritable) {
  for (const std::size_t size : {std::size_t{1}, std::size_t{17}, huge_page_floats + 1}) {
    ZeroedArray<float> array(size);
    const std::size_t whole = (size + 15) / 16 * 16;
    std::fill_n(array.data(), whole, 1.5f);
    EXPECT_EQ(std::count(array.data(), array.data() + whole, 1.5f), whole);
  }
}

TEST(ZeroedArrayTest, GrowthKeepsElementsAndAddsZeros) {
  ZeroedArray<float> array;
  std::size_t before = 0;
  for (const std::size_t size :
       {std::size_t{3}, std::size_t{3}, std::size_t{40}, huge_page_floats - 1, huge_page_floats,
        3 * huge_page_floats + 5, 3 * huge_page_floats + 6, 20 * huge_page_floats}) {
    array.grow(size);
    ASSERT_EQ(array.size(), size);
    expect_aligned(array);
    EXPECT_TRUE(are_all(all(array).first(before), 1.0f)) << size;
    EXPECT_TRUE(are_all(all(array).subspan(before), 0.0f)) << size;
    std::fill_n(array.data(), size, 1.0f);
    before = size;
  }
}

TEST(ZeroedArrayTest, TooMuchMemoryThrowsAndChangesNothing) {
  constexpr std::size_t too_many = std::size_t{1} << 50;
  EXPECT_THROW(ZeroedArray<float>{too_many}, std::bad_alloc);
  for (const std::size_t size : {std::size_t{5}, 2 * huge_page_floats}) {
    ZeroedArray<float> array(size);
    std::fill_n(array.data(), size, 1.0f);
    EXPECT_THROW(array.grow(too_many), std::bad_alloc);
    EXPECT_EQ(array.size(), size);
    EXPECT_TRUE(are_all(all(array), 1.0f)) << size;
  }
}

TEST(ZeroedArrayTest, MovesItsMemory) {
  ZeroedArray<float> from(7);
  from[6] = 2;
  const float* const memory = from.data();
  ZeroedArray<float> to(std::move(from)), other(3);
  EXPECT_EQ(to.data(), memory);
  other = std::move(to);
  EXPECT_EQ(other.data(), memory);
  EXPECT_EQ(other.size(), 7u);
  EXPECT_EQ(other[6], 2);
}

}  // namespace
}  // namespace ultr::zeroed_array_test
