#include "kernels/pack.h"

#include <array>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace ultr::pack_test {
namespace {

template <class T>
class PackTest : public ::testing::Test {
 protected:
  using Array = std::array<T, Pack<T>::size>;

  /// Returns 1, 2, 3, ...
  static Array counted() {
    Array numbers;
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<T>(i + 1);
    return numbers;
  }
  static Array lanes(Pack<T> pack) {
    Array numbers;
    pack.store(numbers.data());
    return numbers;
  }
  static T lane(Pack<T> pack) { return lanes(pack)[0]; }
};

using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(PackTest, Types);

TYPED_TEST(PackTest, PartialLoadsFillWithZerosAndPartialStoresLeaveTheRest) {
  using P = Pack<TypeParam>;
  const auto numbers = this->counted();
  for (std::size_t count = 1; count <= P::size; ++count) {
    // Only `count` numbers exist: the address sanitizer detects it if more are read.
    const std::vector<TypeParam> few(numbers.begin(),
                                     numbers.begin() + static_cast<std::ptrdiff_t>(count));
    const auto loaded = this->lanes(P::load(few.data(), count));
    auto stored = this->lanes(P(-1));
    P::load(numbers.data()).store(stored.data(), count);
    for (std::size_t i = 0; i < P::size; ++i) {
      EXPECT_EQ(loaded[i], i < count ? numbers[i] : 0);
      EXPECT_EQ(stored[i], i < count ? numbers[i] : -1);
    }
    if (count == P::size) continue;
    EXPECT_EQ(this->lanes(P::load_few(few.data(), count)), loaded);
    auto stored_few = few;
    P(-1).store_few(stored_few.data(), count);
    EXPECT_EQ(stored_few, std::vector<TypeParam>(count, -1));
    auto mostly_left = this->lanes(P(-1));
    P::load(numbers.data()).store_few(mostly_left.data(), count);
    EXPECT_EQ(mostly_left, stored);
  }
}

TYPED_TEST(PackTest, EachNumberIsInOnePack) {
  constexpr std::size_t lanes = Pack<TypeParam>::size;
  for (std::size_t size = 0; size <= 2 * lanes + 1; ++size) {
    std::size_t next = 0;
    for_each_pack<TypeParam>(size, [&](std::size_t i, auto... left) {
      EXPECT_EQ(i, next);
      next += (lanes + ... + (left - lanes));
    });
    EXPECT_EQ(next, size);
    const std::vector<TypeParam> ones(size, 1);  // the address sanitizer detects if more are read
    EXPECT_EQ(sum_of(ones.data(), size), static_cast<TypeParam>(size));
  }
}

TYPED_TEST(PackTest, SumFoldsHalvesOntoEachOther) {
  const auto numbers = this->counted();
  const auto n = static_cast<TypeParam>(numbers.size());
  EXPECT_EQ(sum(Pack<TypeParam>::load(numbers.data())), n * (n + 1) / 2);
  // The first half cancels the second in one step, so that nothing large is ever added to 1.
  if (numbers.size() == 2) return;
  std::array<TypeParam, Pack<TypeParam>::size> cancelling{TypeParam(1e30), 1};
  cancelling[cancelling.size() / 2] = TypeParam(-1e30);
  EXPECT_EQ(sum(Pack<TypeParam>::load(cancelling.data())), 1);
}

TYPED_TEST(PackTest, WhereChoosesLaneByLane) {
  using P = Pack<TypeParam>;
  const auto numbers = this->counted();
  const P x = P::load(numbers.data()), nan(NAN);
  const auto large = x > P(2);
  const auto chosen = this->lanes(where(large, x, 0.5)), other = this->lanes(where(large, nan, x));
  for (std::size_t i = 0; i < P::size; ++i) {
    EXPECT_EQ(chosen[i], i < 2 ? TypeParam(0.5) : numbers[i]);
    EXPECT_TRUE(i >= 2 || other[i] == numbers[i]);
  }
  EXPECT_EQ(this->lane(where((!large) & (x < P(2)), 1, P(0))), 1);
  EXPECT_EQ(this->lane(where(large | (x < P(2)), 1, P(0))), 1);
}

TYPED_TEST(PackTest, BoundsLetNaNPass) {
  using P = Pack<TypeParam>;
  EXPECT_TRUE(std::isnan(this->lane(max(P(NAN), 1.0))));
  EXPECT_TRUE(std::isnan(this->lane(min(P(NAN), 1.0))));
  EXPECT_EQ(this->lane(max(P(2), 1.0)), 2);
  EXPECT_EQ(this->lane(min(P(2), 1.0)), 1);
  EXPECT_EQ(this->lane(max(P(2), P(3))), 3);
  EXPECT_EQ(this->lane(min(P(2), P(3))), 2);
}

TYPED_TEST(PackTest, SignsAreBits) {
  using P = Pack<TypeParam>;
  EXPECT_EQ(this->lane(abs(P(-2.5))), TypeParam(2.5));
  const P zero(0), negative_zero = -zero;
  EXPECT_TRUE(std::signbit(this->lane(negative_zero)));
  EXPECT_FALSE(std::signbit(this->lane(abs(negative_zero))));
  EXPECT_EQ(this->lane(with_sign_of(P(2.5), P(-1))), TypeParam(-2.5));
  EXPECT_EQ(this->lane(with_sign_of(P(2.5), P(1))), TypeParam(2.5));
  EXPECT_TRUE(std::signbit(this->lane(with_sign_of(zero, negative_zero))));
}

TYPED_TEST(PackTest, SquareRootIsRoundedCorrectly) {
  const auto numbers = this->counted();
  const auto roots = this->lanes(sqrt(Pack<TypeParam>::load(numbers.data())));
  for (std::size_t i = 0; i < roots.size(); ++i) EXPECT_EQ(roots[i], std::sqrt(numbers[i]));
}

TYPED_TEST(PackTest, FirstLanesAreTrue) {
  using P = Pack<TypeParam>;
  for (const std::size_t count :
       {std::size_t{0}, std::size_t{1}, P::size - 1, P::size, P::size + 1, std::size_t{1000}}) {
    const auto chosen = this->lanes(where(first_lanes<TypeParam>(count), 1, P(0)));
    for (std::size_t i = 0; i < P::size; ++i) EXPECT_EQ(chosen[i], i < count ? 1 : 0);
  }
}

TYPED_TEST(PackTest, TransposesGroupsOfFourLanes) {
  using P = Pack<TypeParam>;
  std::array<P, 4> packs;
  for (std::size_t p = 0; p < 4; ++p) {
    TypeParam numbers[P::size];
    for (std::size_t i = 0; i < P::size; ++i) numbers[i] = static_cast<TypeParam>(100 * p + i);
    packs[p] = P::load(numbers);
  }
  constexpr auto lanes = std::make_index_sequence<P::size>{};
  if constexpr (P::size >= 4) {
    const auto columns = transposed(packs, lanes), again = transposed(columns, lanes);
    for (std::size_t p = 0; p < 4; ++p)
      for (std::size_t i = 0; i < P::size; ++i) {
        EXPECT_EQ(this->lanes(columns[p])[i],
                  static_cast<TypeParam>(100 * (i % 4) + i / 4 * 4 + p));
        EXPECT_EQ(this->lanes(again[p])[i], static_cast<TypeParam>(100 * p + i));
      }
  }
}

TEST(FourFloatRecordsTest, AreReadAndWrittenWhereTheyLie) {
  constexpr std::size_t records = Pack<float>::size;
  std::vector<float> from(4 * records), to(4 * records);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<float>(i);
  const auto backwards = [&](std::size_t i) { return from.data() + 4 * (records - 1 - i); };
  const auto packs = FourFloatRecords::load(backwards);
  for (std::size_t f = 0; f < 4; ++f) {
    float numbers[records];
    packs[f].store(numbers);
    for (std::size_t i = 0; i < records; ++i) EXPECT_EQ(numbers[i], backwards(i)[f]);
  }
  FourFloatRecords::store(packs, [&](std::size_t i) { return to.data() + 4 * (records - 1 - i); });
  EXPECT_EQ(to, from);
}

TYPED_TEST(PackTest, MasksReadOneByteALane) {
  using P = Pack<TypeParam>;
  for (std::size_t count = 1; count <= P::size; ++count) {
    std::vector<std::uint8_t> bytes;
    for (std::size_t i = 0; i < count; ++i) bytes.push_back(i % 3 == 0 ? 1 : 0);
    const auto chosen = this->lanes(where(load_mask<TypeParam>(bytes.data(), count), 1, P(0)));
    for (std::size_t i = 0; i < P::size; ++i) EXPECT_EQ(chosen[i], i < count && i % 3 == 0 ? 1 : 0);
  }
}

}  // namespace
}  // namespace ultr::pack_test
