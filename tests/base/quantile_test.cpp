#include "base/quantile.h"

#include <vector>

#include <gtest/gtest.h>

namespace ultr::quantile_test {
namespace {

TEST(QuantileTest, InterpolatesBetweenValues) {
  const std::vector<double> values = {1, 2, 4, 8, 16};
  EXPECT_EQ(quantile(values, 0), 1);
  EXPECT_EQ(quantile(values, 0.5), 4);
  EXPECT_EQ(quantile(values, 1), 16);
  EXPECT_DOUBLE_EQ(quantile(values, 0.9), 8 + (0.9 * 4 - 3) * (16 - 8));
  EXPECT_EQ(quantile(std::vector{3.}, 0.7), 3);
}

TEST(NearestRankTest, IsExactWhereProductsAreRoundedUp) {
  EXPECT_EQ(nearest_rank(0.5, 4), 2u);
  EXPECT_EQ(nearest_rank(0.5, 5), 3u);
  EXPECT_EQ(nearest_rank(0.55, 100), 55u) << "0.55 * 100 is above 55";
  EXPECT_EQ(nearest_rank(0.5500001, 100), 56u);
  EXPECT_EQ(nearest_rank(1, 1'000'000'000), 1'000'000'000u);
  EXPECT_EQ(nearest_rank(0, 3), 1u);
}

}  // namespace
}  // namespace ultr::quantile_test
