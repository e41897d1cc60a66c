#include "data/simulation/approximate_normals.h"

#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"

namespace ultr::approximate_normals_test {
namespace {

TEST(ApproximateNormalsTest, AreNearThoseOfTheStreamOrSaySo) {
  constexpr std::size_t count = 400'000;
  std::vector<std::uint64_t> first(count), second(count);
  RandomStream draws(5, RandomPurpose::testing, 0, 0), normals_of_stream = draws;
  for (std::size_t i = 0; i < count; ++i) {
    first[i] = draws.bits();
    second[i] = draws.bits();
  }
  std::vector<float> normals(count);
  std::vector<std::uint8_t> far(count);
  far[7] = 1;
  approximate_normals(first, second, normals, far);
  EXPECT_EQ(std::exchange(far[7], 0), 1) << "what was far stays so";
  for (std::size_t i = 0; i < count; ++i) {
    const double normal = normals_of_stream.normal();
    const double error = std::abs(static_cast<double>(normals[i]) - normal);
    ASSERT_TRUE(far[i] == 1 || error < normal_error) << i << ": " << error;
  }
  EXPECT_NEAR(std::accumulate(far.begin(), far.end(), 0), 40, 30) << "one in 10^4";
}

TEST(ApproximateNormalsTest, SayWhichUniformNumbersLeaveTooFewDigits) {
  // The logarithm of 1 - u loses digits near u = 0, where it is near 0, and near u = 1.
  std::vector<std::uint64_t> first(16, std::uint64_t{1} << 63), second(16, 0);
  first[3] = 0;
  first[9] = ~std::uint64_t{0};
  std::vector<float> normals(16);
  std::vector<std::uint8_t> far(16);
  approximate_normals(first, second, normals, far);
  std::vector<std::uint8_t> expected(16);
  expected[3] = expected[9] = 1;
  EXPECT_EQ(far, expected);
}

}  // namespace
}  // namespace ultr::approximate_normals_test
