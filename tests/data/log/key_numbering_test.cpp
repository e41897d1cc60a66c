#include "data/log/key_numbering.h"

#include <map>

#include <gtest/gtest.h>

#include "base/random.h"

namespace ultr::key_numbering_test {
namespace {

TEST(KeyNumberingTest, NumbersKeysInTheOrderOfTheirFirstAppearance) {
  KeyNumbering numbering;
  std::map<std::uint64_t, std::uint32_t> expected;
  RandomStream random(1, RandomPurpose::testing, 0, 0);
  for (int i = 0; i < 40'000; ++i) {
    // Often a key that is still waiting, or one that differs from others in the highest bits only.
    const std::uint64_t key = i % 5 == 0 ? static_cast<std::uint64_t>(i)
                                         : std::uint64_t{random.below(i % 3 == 0 ? 9000 : 40)}
                                               << (i % 2 == 0 ? 0 : 50);
    const auto number = static_cast<std::uint32_t>(expected.size());
    ASSERT_EQ(numbering.number_of(key), expected.try_emplace(key, number).first->second);
    ASSERT_EQ(numbering.size(), expected.size());
  }
}

TEST(KeyNumberingTest, TakesTheMemoryThatItPromises) {
  KeyNumbering numbering;
  for (std::uint64_t key = 0; key < 100000; ++key) {
    numbering.number_of(key * 0x9fb21c651e98df25u);
    EXPECT_LE(numbering.bytes(), 32 * (key + 1) + 1000);
  }
}

}  // namespace
}  // namespace ultr::key_numbering_test
