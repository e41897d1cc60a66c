#include "metrics/group_folds.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace ultr::group_folds_test {
namespace {

TEST(GroupFoldsTest, GroupsAreSpreadOverFoldsByTheSeed) {
  constexpr std::uint64_t groups = 10000;
  std::vector<double> sizes(folds);
  std::uint64_t moved = 0;
  for (std::uint64_t group = 0; group < groups; ++group) {
    ++sizes.at(fold_of(group, 1));
    moved += fold_of(group, 1) != fold_of(group, 2) ? 1 : 0;
    ASSERT_EQ(fold_of(group, 1), fold_of(group, 1));
  }
  // Binomial: mean 10000 / 5, standard deviation sqrt(10000 0.2 0.8) = 40; 4 in 5 groups move.
  for (const double size : sizes) EXPECT_NEAR(size, 2000, 4 * 40);
  EXPECT_NEAR(static_cast<double>(moved), 8000, 4 * 40);
}

}  // namespace
}  // namespace ultr::group_folds_test
