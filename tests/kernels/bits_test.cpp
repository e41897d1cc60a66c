#include "kernels/bits.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

namespace ultr::bits_test {
namespace {

TEST(BitsTest, ABitForEachByteOfAValue) {
  for (const std::uint8_t value : std::array<std::uint8_t, 5>{0, 1, 127, 128, 255}) {
    const auto other = static_cast<std::uint8_t>(value + 1);
    std::array<std::uint8_t, 64> bytes;
    bytes.fill(value);
    EXPECT_EQ(bits_equal_to(value, bytes.data()), ~std::uint64_t{0});
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      bytes.fill(other);
      bytes[i] = value;
      EXPECT_EQ(bits_equal_to(value, bytes.data()), std::uint64_t{1} << i);
    }
  }
}

TEST(BitsTest, VisitsBitsUpwards) {
  std::vector<std::size_t> visited;
  for_each_bit(std::uint64_t{1} << 63 | 0b1010001, [&](std::size_t i) { visited.push_back(i); });
  EXPECT_EQ(visited, (std::vector<std::size_t>{0, 4, 6, 63}));
  for_each_bit(0, [](std::size_t) { FAIL(); });
}

TEST(BitsTest, NumbersAreCopiedWhereTheirBitsAre) {
  const auto expect_chosen = [](std::uint64_t bits, auto number) {
    using T = decltype(number);
    std::array<T, 64> from, to{};
    for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<T>(3 * i + 1);
    std::vector<T> expected;
    for_each_bit(bits, [&](std::size_t i) { expected.push_back(from[i]); });
    ASSERT_EQ(copy_chosen(bits, from.data(), to.data()), expected.size());
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), to.begin()));
  };
  const std::uint64_t random = 0x9E3779B97F4A7C15u;
  for (const std::uint64_t bits : {std::uint64_t{0}, ~std::uint64_t{0}, std::uint64_t{1} << 63,
                                   std::uint64_t{0xFF00}, random, random * random, ~random}) {
    expect_chosen(bits, std::uint32_t{});
    expect_chosen(bits, float{});
    expect_chosen(bits, double{});
  }
}

}  // namespace
}  // namespace ultr::bits_test
