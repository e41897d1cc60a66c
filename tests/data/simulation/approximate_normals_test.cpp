#include "data/simulation/approximate_normals.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace ultr::approximate_normals_test {
namespace {

/// Returns the largest difference from the numbers that are approximated.
double error_of(const std::vector<float>& normals, std::uint64_t seed, std::uint64_t index) {
  RandomStream random(seed, RandomPurpose::testing, 0, index);
  random.uniform();
  double largest = 0;
  for (const float normal : normals)
    largest = std::max(largest, std::abs(static_cast<double>(normal) - random.normal()));
  return largest;
}

TEST(ApproximateNormalsTest, AreNearThoseOfTheStreamOrSaySo) {
  constexpr std::uint64_t streams = 20'000;
  int far = 0;
  for (std::uint64_t index = 0; index < streams; ++index) {
    std::vector<float> normals(1 + index % 40);
    if (approximate_normals(5, RandomPurpose::testing, index, normals))
      ASSERT_LT(error_of(normals, 5, index), normal_error) << index;
    else
      ++far;
  }
  // One in 10^4 of 410,000 numbers, in about as many streams.
  EXPECT_GT(far, 10);
  EXPECT_LT(far, 100);
}

}  // namespace
}  // namespace ultr::approximate_normals_test
