#include "data/log/pair_lookups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ultr::pair_lookups_test {
namespace {

using ::testing::ElementsAre;
using Ids = std::vector<std::uint64_t>;

TEST(PairLookupsTest, LooksUpAllListsInOrder) {
  for (const std::size_t count : {0, 1, 7, 8, 9, 16, 17, 100}) {
    PairTable table(std::size_t{1} << 20);
    PairLookups lookups;
    std::vector<std::pair<std::uint64_t, Ids>> added, lists;
    added.reserve(count);  // documents stay where they are until they are looked up
    std::vector<std::uint32_t> rows, expected;
    std::uint64_t next = 1;
    const auto look = [&](std::uint64_t query, auto documents, auto into) {
      lists.emplace_back(query, Ids(documents.begin(), documents.end()));
      next = table.find_or_add(query, documents, next, into);
      rows.insert(rows.end(), into.begin(), into.end());
    };
    for (std::size_t i = 0; i < count; ++i) {
      added.emplace_back(i / 2, Ids(i % 5, i));  // two lists per query, the second with new ids
      lookups.add(table, added[i].first, added[i].second, look);
    }
    EXPECT_TRUE(lists.size() < count || count == 0) << "some wait";
    lookups.finish(look);
    EXPECT_EQ(lists, added);
    for (std::size_t i = 0; i < count; ++i)
      if (i % 5 > 0)
        expected.insert(expected.end(), i % 5, expected.empty() ? 1 : expected.back() + 1);
    EXPECT_EQ(rows, expected);
    lookups.finish(look);
    EXPECT_EQ(lists.size(), count) << "none waits any more";

    ListIds ids;
    for (const auto& [query, documents] : added) ids.add(query, documents);
    lists.clear();
    look_up_pairs(table, ids, look);
    EXPECT_EQ(lists, added);
  }
}

}  // namespace
}  // namespace ultr::pair_lookups_test
