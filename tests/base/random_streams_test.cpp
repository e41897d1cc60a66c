#include "base/random_streams.h"

#include <vector>

#include <gtest/gtest.h>

namespace ultr::random_streams_test {
namespace {

TEST(RandomStreamsTest, DrawsAreThoseOfEachStream) {
  const std::uint64_t seed = 0x0123456789abcdef;
  constexpr std::uint32_t step = 9;
  for (const std::size_t streams : {1u, 3u, 8u, 37u}) {
    std::vector<std::uint64_t> indices(streams), first(streams), second(streams);
    for (std::size_t i = 0; i < streams; ++i) indices[i] = 0xfedcba9876543210 * (i + 1);
    for (std::uint32_t block = 0; block < 12; ++block) {
      draw_from_streams(seed, RandomPurpose::clicks, step, indices, block, first, second);
      for (std::size_t i = 0; i < streams; ++i) {
        RandomStream stream(seed, RandomPurpose::clicks, step, indices[i]);
        for (std::uint32_t passed = 0; passed < 2 * block; ++passed) stream.bits();
        ASSERT_EQ(first[i], stream.bits()) << i << " of " << streams << ", block " << block;
        ASSERT_EQ(second[i], stream.bits()) << i << " of " << streams << ", block " << block;
      }
    }
  }
}

TEST(RandomStreamsTest, UniformNumbersAreThoseOfTheStream) {
  RandomStream bits(3, RandomPurpose::testing, 0, 11), uniforms = bits;
  for (int i = 0; i < 100; ++i) EXPECT_EQ(uniform_of_bits(bits.bits()), uniforms.uniform());
  EXPECT_LT(uniform_of_bits(~std::uint64_t{0}), 1);
}

}  // namespace
}  // namespace ultr::random_streams_test
