#include "data/log/key_index.h"

#include <gtest/gtest.h>

namespace ultr::key_index_test {
namespace {

TEST(KeyIndexTest, FindsTheNumbersOfTheKeysThatWereAdded) {
  KeyIndex index;
  EXPECT_EQ(index.find(0), KeyIndex::none);
  constexpr std::uint64_t keys = 5000;
  for (std::uint64_t key = 0; key < keys; ++key) EXPECT_EQ(index.find_or_add(key * key, key), key);
  EXPECT_EQ(index.size(), keys);
  for (std::uint64_t key = 0; key < keys; ++key) {
    EXPECT_EQ(index.find(key * key), key);
    EXPECT_EQ(index.find_or_add(key * key, 7), key);
    index.prefetch(key);
  }
  EXPECT_EQ(index.find(2), KeyIndex::none);
  EXPECT_EQ(index.size(), keys);
}

TEST(KeyIndexTest, TakesTheMemoryThatItPromises) {
  KeyIndex index;
  for (std::uint64_t key = 0; key < 100000; ++key) {
    index.find_or_add(key * 0x9fb21c651e98df25u, key);
    EXPECT_LE(index.bytes(), 43 * (key + 1) + 1000);
  }
}

}  // namespace
}  // namespace ultr::key_index_test
