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

}  // namespace
}  // namespace ultr::quantile_test
