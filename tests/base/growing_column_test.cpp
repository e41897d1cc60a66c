#include "base/growing_column.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace ultr::growing_column_test {
namespace {

TEST(GrowingColumnTest, HasTheValuesInTheOrderOfAddition) {
  constexpr std::uint64_t values = 1'000'000;  // 8 MB, which grows by moving pages
  GrowingColumn<std::uint64_t> column;
  EXPECT_TRUE(column.empty());
  for (std::uint64_t i = 0; i < values; ++i) column.push_back(i * i);
  ASSERT_EQ(column.size(), values);
  EXPECT_EQ(column.bytes(), 8 * values);
  EXPECT_EQ(column.values().size(), values);
  EXPECT_EQ(column.back(), (values - 1) * (values - 1));
  const GrowingColumn<std::uint64_t> moved = std::move(column);
  for (std::uint64_t i = 0; i < values; ++i) ASSERT_EQ(moved[i], i * i);
}

TEST(GrowingColumnTest, AppendsValuesAfterThoseThatItHas) {
  GrowingColumn<std::uint16_t> column;
  std::vector<std::uint16_t> expected, next;
  column.append(next);
  EXPECT_TRUE(column.empty());
  for (std::uint16_t count = 0; count < 300; ++count) {
    next.assign(count, count);
    column.append(next);
    column.push_back(7);
    expected.insert(expected.end(), next.begin(), next.end());
    expected.push_back(7);
  }
  EXPECT_TRUE(std::ranges::equal(column.values(), expected));
}

}  // namespace
}  // namespace ultr::growing_column_test
