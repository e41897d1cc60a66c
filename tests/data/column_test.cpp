#include "data/column.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ultr {
namespace {

using ::testing::ElementsAre;

TEST(ColumnTest, CopiesShareTheValues) {
  Column<int> column = std::vector<int>{3, 1, 2};
  const int* address = column.values().data();
  const Column<int> copy = column;
  EXPECT_EQ(copy.values().data(), address);
  column = {};
  EXPECT_TRUE(column.empty());
  EXPECT_THAT(copy, ElementsAre(3, 1, 2)) << "it outlives the first";
  EXPECT_EQ(copy.size(), 3u);
  EXPECT_EQ(copy[1], 1);
}

TEST(ColumnTest, KeepsTheOwnerOfItsValuesAlive) {
  auto owner = std::make_shared<std::vector<int>>(std::vector<int>{5, 6, 7});
  const std::weak_ptr<std::vector<int>> watch = owner;
  {
    const Column<int> part(std::span<const int>(*owner).subspan(1), owner);
    owner.reset();
    EXPECT_FALSE(watch.expired());
    EXPECT_THAT(part, ElementsAre(6, 7));
  }
  EXPECT_TRUE(watch.expired());
}

}  // namespace
}  // namespace ultr
