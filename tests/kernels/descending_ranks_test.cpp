#include "kernels/descending_ranks.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace ultr::descending_ranks_test {
namespace {

/// Returns ranks by definition: 0 for the largest, equal numbers in their order, NaN last.
template <class T>
std::vector<std::size_t> by_stable_sort(const std::vector<T>& x) {
  std::vector<std::size_t> order(x.size()), ranks(x.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::isnan(x[b]) ? !std::isnan(x[a]) : x[a] > x[b];
  });
  for (std::size_t k = 0; k < order.size(); ++k) ranks[order[k]] = k;
  return ranks;
}

template <class T>
class DescendingRanksTest : public ::testing::Test {
 protected:
  static constexpr std::size_t most = 1000;

  /// Checks lists of many lengths, filled by `draw` and ranked in the same memory.
  template <class Draw>
  void expect_ranks(Draw draw) {
    detail::DescendingRanks<T> ranks(memory_.data(), most);
    for (const std::size_t n :
         {1000, 0, 1, 2, 7, 8, 9, 15, 16, 17, 25, 33, 120, 199, 200, 201, 1000}) {
      std::vector<T> x(n);
      for (T& number : x) number = static_cast<T>(draw());
      const auto* found = ranks(x.data(), n);
      const std::vector<std::size_t> expected = by_stable_sort(x);
      for (std::size_t i = 0; i < n; ++i)
        ASSERT_EQ(static_cast<std::size_t>(found[i]), expected[i]) << i << " of " << n;
    }
  }

  std::mt19937_64 random_{7};

 private:
  std::vector<std::byte> memory_{detail::DescendingRanks<T>::bytes(most)};
};

using Precisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(DescendingRanksTest, Precisions);

TYPED_TEST(DescendingRanksTest, NumbersOfAnySign) {
  std::normal_distribution<double> normal;
  this->expect_ranks([&] { return normal(this->random_); });
}

TYPED_TEST(DescendingRanksTest, TiesAreInOrder) {
  this->expect_ranks([&] { return this->random_() % 5; });
  this->expect_ranks([] { return -3; });
}

TYPED_TEST(DescendingRanksTest, SpecialNumbers) {
  using Limits = std::numeric_limits<TypeParam>;
  const std::vector<TypeParam> special = {
      TypeParam(0),      -TypeParam(0),         Limits::infinity(),  -Limits::infinity(),
      Limits::max(),     Limits::lowest(),      Limits::min(),       Limits::denorm_min(),
      Limits::epsilon(), -Limits::denorm_min(), Limits::quiet_NaN(), -Limits::quiet_NaN()};
  this->expect_ranks([&] { return special[this->random_() % special.size()]; });
}

}  // namespace
}  // namespace ultr::descending_ranks_test
