#include "data/log/judged_lists.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ultr::judged_lists_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Rows = std::vector<std::uint32_t>;
using Labels = std::vector<int>;

TEST(JudgedListsTest, KeepsListsOfAnyLength) {
  JudgedLists lists;
  EXPECT_EQ(lists.size(), 0u);
  lists.add(Rows{3, 0, 2}, Labels{-2, 4, 0});
  lists.add(Rows{}, Labels{});
  lists.add(Rows{7}, Labels{1});
  ASSERT_EQ(lists.size(), 3u);
  EXPECT_THAT(lists.rows(0), ElementsAre(3, 0, 2));
  EXPECT_THAT(lists.labels(0), ElementsAre(-2, 4, 0));
  EXPECT_THAT(lists.rows(1), IsEmpty());
  EXPECT_THAT(lists.labels(1), IsEmpty());
  EXPECT_THAT(lists.rows(2), ElementsAre(7));
  EXPECT_THAT(lists.labels(2), ElementsAre(1));
}

TEST(JudgedListsTest, KeepsTheQuery) {
  JudgedLists lists;
  lists.add(Rows{7}, Labels{1}, 18446744073709551615u);
  lists.add(Rows{7}, Labels{1});
  EXPECT_EQ(lists.query(0), 18446744073709551615u);
  EXPECT_EQ(lists.query(1), 0u);
}

TEST(JudgedListsTest, RejectsLabelsThatDoNotFit) {
  JudgedLists lists;
  EXPECT_THROW(lists.add(Rows{1, 2}, Labels{0}), DataError);
  EXPECT_THROW(lists.add(Rows{1}, Labels{0, 1}), DataError);
  EXPECT_EQ(lists.size(), 0u);
}

}  // namespace
}  // namespace ultr::judged_lists_test
