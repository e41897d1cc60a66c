#include "data/log/list_ids.h"

#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ultr::list_ids_test {
namespace {

using Ids = std::vector<std::uint64_t>;

std::vector<std::pair<std::uint64_t, Ids>> lists_of(const ListIds& ids) {
  std::vector<std::pair<std::uint64_t, Ids>> lists;
  ids.for_each([&](std::uint64_t query, auto documents) {
    lists.emplace_back(query, Ids(documents.begin(), documents.end()));
  });
  return lists;
}

TEST(ListIdsTest, HoldsListsInOrderAlsoEmptyOnes) {
  ListIds ids;
  EXPECT_EQ(ids.lists(), 0u);
  EXPECT_EQ(ids.documents(), 0u);
  EXPECT_TRUE(lists_of(ids).empty());
  const std::vector<std::pair<std::uint64_t, Ids>> added = {
      {7, {5, 6}}, {8, {}}, {7, {9}}, {0, {}}};
  for (const auto& [query, documents] : added) ids.add(query, documents);
  EXPECT_EQ(ids.lists(), 4u);
  EXPECT_EQ(ids.documents(), 3u);
  EXPECT_EQ(lists_of(ids), added);
}

}  // namespace
}  // namespace ultr::list_ids_test
