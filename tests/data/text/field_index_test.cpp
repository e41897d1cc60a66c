#include "data/text/field_index.h"

#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"

namespace ultr::field_index_test {
namespace {

/// A random word with any number of bits.
std::uint64_t random_word(RandomStream& random) {
  const std::uint64_t density = random.below(65);
  std::uint64_t word = 0;
  for (int bit = 0; bit < 64; ++bit)
    word |= std::uint64_t{random.below(64) < density ? 1u : 0u} << bit;
  return word;
}

TEST(AppendBitsTest, StoresThePlacesOfAllBits) {
  for (std::uint64_t i = 0; i < 5000; ++i) {
    RandomStream random(1, RandomPurpose::testing, 0, i);
    const std::uint64_t bits = i == 0 ? 0 : i == 1 ? ~std::uint64_t{0} : random_word(random);
    const auto base = static_cast<std::uint32_t>(random.below(1000));
    std::vector<std::uint32_t> expected, found(64 + spare_entries);
    for (std::uint32_t bit = 0; bit < 64; ++bit)
      if ((bits >> bit & 1) != 0) expected.push_back(base + bit);
    const std::size_t count = append_bits(bits, base, found.data());
    ASSERT_EQ(count, expected.size());
    found.resize(count);
    ASSERT_EQ(found, expected);
  }
}

TEST(BitsAmongTest, NumbersTheBitsThatAreSome) {
  for (std::uint64_t i = 0; i < 5000; ++i) {
    RandomStream random(2, RandomPurpose::testing, 0, i);
    const std::uint64_t all = i == 0 ? ~std::uint64_t{0} : random_word(random);
    const std::uint64_t some = all & random_word(random);
    std::uint64_t expected = 0;
    for (std::uint32_t bit = 0, number = 0; bit < 64; ++bit) {
      if ((all >> bit & 1) == 0) continue;
      expected |= (some >> bit & 1) << number;
      ++number;
    }
    ASSERT_EQ(bits_among(some, all), expected) << all << " " << some;
  }
}

}  // namespace
}  // namespace ultr::field_index_test
