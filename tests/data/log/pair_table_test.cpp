#include "data/log/pair_table.h"

#include <map>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"

namespace ultr::pair_table_test {
namespace {

using ::testing::ElementsAre;
using Ids = std::vector<std::uint64_t>;
using Pair = std::pair<std::uint64_t, std::uint64_t>;

constexpr std::size_t much = std::size_t{1} << 26;

std::vector<std::uint32_t> find(const PairTable& table, std::uint64_t query, const Ids& documents) {
  std::vector<std::uint32_t> rows(documents.size(), 99);
  table.prefetch(query);
  table.prefetch_documents(query, documents);
  table.find(query, documents, rows);
  return rows;
}

/// Adds the documents of a query; returns their rows and the next free row.
std::pair<std::vector<std::uint32_t>, std::uint64_t> add(PairTable& table, std::uint64_t query,
                                                         const Ids& documents, std::uint64_t next) {
  std::vector<std::uint32_t> rows(documents.size(), 99);
  next = table.find_or_add(query, documents, next, rows);
  return {rows, next};
}

std::uint32_t add_one(PairTable& table, std::uint64_t query, std::uint64_t document,
                      std::uint64_t next) {
  return add(table, query, {document}, next).first[0];
}

TEST(PairTableTest, NumbersNewPairsOfAListInOrder) {
  PairTable table(much);
  EXPECT_THAT(find(table, 7, {1, 2}), ElementsAre(0, 0));
  const auto [rows, next] = add(table, 7, {5, 0, 5, 9}, 3);
  EXPECT_THAT(rows, ElementsAre(3, 4, 3, 5));
  EXPECT_EQ(next, 6u);
  EXPECT_THAT(find(table, 7, {9, 8, 0}), ElementsAre(5, 0, 4));
  EXPECT_THAT(find(table, 0, {9, 8, 0}), ElementsAre(0, 0, 0));
  EXPECT_EQ(add(table, 7, {}, 6).second, 6u);
}

TEST(PairTableTest, AgreesWithAMapWhileItGrows) {
  struct Case {
    std::uint64_t queries, documents;
  };
  constexpr std::uint64_t any = std::uint64_t{1} << 40;
  // Blocks of every size, from one document per query to one query with all documents.
  for (const Case ids : {Case{30, 30}, {300, 100}, {5000, 15}, {any, any}, {any, 1}, {1, any}}) {
    PairTable table(much);
    std::map<Pair, std::uint32_t> map;
    std::uint64_t next = 1;
    for (std::uint64_t i = 0; i < 5'000; ++i) {
      RandomStream random(3, RandomPurpose::testing, 0, i);
      const std::uint64_t query = random.below(ids.queries);
      Ids documents(random.below(12));
      std::vector<std::uint32_t> expected;
      const std::uint64_t before = next;
      for (std::uint64_t& document : documents) {
        document = random.below(ids.documents);
        const auto [found, added] =
            map.try_emplace({query, document}, static_cast<std::uint32_t>(next));
        next += added ? 1 : 0;
        expected.push_back(found->second);
      }
      ASSERT_EQ(add(table, query, documents, before), std::pair(expected, next));
    }
    for (const auto& [pair, row] : map)
      ASSERT_THAT(find(table, pair.first, {pair.second, any}), ElementsAre(row, 0));
    EXPECT_THAT(find(table, any, {0}), ElementsAre(0));
  }
}

TEST(PairTableTest, KeepsItsPairsWhenFull) {
  for (const std::size_t bytes : {0, 1000, 10'000, 1'000'000}) {
    for (const std::size_t documents : {1, 5, 10, 40, 60, 1'000'000}) {  // per query
      SCOPED_TRACE(std::to_string(bytes) + " bytes, documents " + std::to_string(documents));
      PairTable table(bytes);
      std::uint32_t added = 0;
      while (add_one(table, added / documents, added % documents, added + 1) != 0) ++added;
      EXPECT_GE(added, std::max(bytes / (documents < 10 ? 125 : 64), std::size_t{12}));
      EXPECT_LE(added, std::max(bytes / 12, std::size_t{200}));
      for (const std::uint64_t query : {std::uint64_t{0}, std::uint64_t{1} << 50})
        EXPECT_EQ(add_one(table, query, 5'000'000, added + 1), 0u) << "nor later";
      for (std::uint32_t i = 0; i < added; ++i) {
        ASSERT_THAT(find(table, i / documents, {i % documents}), ElementsAre(i + 1));
        ASSERT_EQ(add_one(table, i / documents, i % documents, added + 1), i + 1);
      }
      table.clear();
      EXPECT_THAT(find(table, 0, {0}), ElementsAre(0));
      EXPECT_EQ(add_one(table, 0, 0, 5), 5u);
    }
  }
}

TEST(PairTableTest, ReusesFreeBlocks) {
  // Counts the one-document queries that fit once 1000 queries have grown to so many documents.
  const auto queries_behind = [](std::uint64_t documents) {
    PairTable table(1'000'000);
    std::uint64_t next = 1;
    constexpr std::uint64_t growing = 1000;
    for (std::uint64_t document = 0; document < documents; ++document)
      for (std::uint64_t query = 0; query < growing; ++query)
        next = add(table, query, {document}, next).second;
    std::uint64_t behind = 0;
    while (add_one(table, growing + behind, 0, next + behind) != 0) ++behind;
    return behind;
  };
  // A block of 11 documents takes 4 cache lines and has left blocks of 1 and 2. Of these 7 lines,
  // one-document queries can use the block of 1.
  EXPECT_LE(queries_behind(1) - queries_behind(11), 1000 * (7 - 1 - 1));
}

TEST(PairTableTest, HasNoRowsBeyond32Bits) {
  constexpr std::uint64_t last = (std::uint64_t{1} << 32) - 1;
  PairTable table(much);
  const auto [rows, next] = add(table, 1, {10, 11, 10}, last);
  EXPECT_THAT(rows, ElementsAre(last, 0, last));
  EXPECT_EQ(next, last + 1);
  EXPECT_THAT(find(table, 1, {10, 11}), ElementsAre(last, 0));
  EXPECT_EQ(add_one(table, 1, 12, 1), 0u);
}

}  // namespace
}  // namespace ultr::pair_table_test
