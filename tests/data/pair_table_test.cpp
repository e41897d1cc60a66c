#include "data/pair_table.h"

#include <map>

#include <gtest/gtest.h>

#include "autograd/random.h"

namespace ultr {
namespace {

using Pair = std::pair<std::uint64_t, std::uint64_t>;

std::uint32_t add(PairTable& table, const Pair& pair, std::uint32_t next) {
  return table.find_or_add(PairTable::hash(pair.first, pair.second), pair.first, pair.second, next);
}
std::uint32_t find(const PairTable& table, const Pair& pair) {
  return table.find(PairTable::hash(pair.first, pair.second), pair.first, pair.second);
}

/// Pairs with repetitions, of neighbouring ids or of any.
Pair random_pair(std::uint64_t i, std::uint64_t ids) {
  RandomStream random(3, RandomPurpose::testing, 0, i);
  return {random.below(ids), random.below(ids)};
}

TEST(PairTableTest, AgreesWithAMapWhileItGrows) {
  for (const std::uint64_t ids : {std::uint64_t{30}, std::uint64_t{300}, std::uint64_t{1} << 40}) {
    PairTable table(std::size_t{1} << 24);
    std::map<Pair, std::uint32_t> map;
    for (std::uint64_t i = 0; i < 30'000; ++i) {
      const Pair pair = random_pair(i, ids);
      const auto next = static_cast<std::uint32_t>(map.size() + 1);
      ASSERT_EQ(add(table, pair, next), map.try_emplace(pair, next).first->second);
    }
    for (const auto& [pair, row] : map) ASSERT_EQ(find(table, pair), row);
    EXPECT_EQ(find(table, {ids, ids}), 0u);
  }
}

TEST(PairTableTest, AFullOneKeepsWhatItHas) {
  for (const std::size_t bytes : {0, 1000, 100'000}) {
    PairTable table(bytes);
    std::uint32_t added = 0;
    while (add(table, {added, 7}, added + 1) != 0) ++added;
    EXPECT_GE(added, std::max(bytes / 34, std::size_t{12}));
    EXPECT_LE(added, std::max(bytes / 28, std::size_t{12}));
    EXPECT_EQ(add(table, {added, 7}, added + 1), 0u) << "nor later";
    for (std::uint32_t i = 0; i < added; ++i) {
      ASSERT_EQ(find(table, {i, 7}), i + 1);
      ASSERT_EQ(add(table, {i, 7}, added + 1), i + 1);
    }
    table.clear();
    EXPECT_EQ(find(table, {0, 7}), 0u);
    EXPECT_EQ(add(table, {0, 7}, 5), 5u);
  }
}

TEST(PairTableTest, ReservesBeyondItsLimit) {
  PairTable table(0);
  table.reserve(1000);
  for (std::uint32_t i = 0; i < 1000; ++i) ASSERT_EQ(add(table, {7, i}, i + 1), i + 1);
  for (std::uint32_t i = 0; i < 1000; ++i) ASSERT_EQ(find(table, {7, i}), i + 1);
}

}  // namespace
}  // namespace ultr
