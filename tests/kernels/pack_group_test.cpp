#include "kernels/pack_group.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace ultr::pack_group_test {
namespace {

constexpr std::size_t packs = 4;

template <class T>
class PackGroupTest : public ::testing::Test {
 protected:
  using Numbers = std::vector<T>;
  using Group = PackGroup<T, packs>;

  /// Returns numbers of any sign and size, with special ones among them.
  static Numbers numbers(unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<T> normal(0, 3);
    Numbers x;
    for (std::size_t i = 0; i < Group::size; ++i) x.push_back(normal(random));
    const auto infinity = std::numeric_limits<T>::infinity();
    const T special[] = {0, -0.0, 1, -1, infinity, -infinity, NAN, T(0.25)};
    for (const T one : special) x[random() % x.size()] = one;
    return x;
  }

  /// Expects f of two groups to have the bits of f of their packs.
  template <class F>
  static void expect_same(F f) {
    for (const unsigned seed : {1u, 2u, 3u}) {
      const Numbers a = numbers(seed), b = numbers(seed + 10);
      Numbers whole(Group::size), one_by_one(Group::size);
      Group(f(Group::load(a.data()), Group::load(b.data()))).store(whole.data());
      for (std::size_t i = 0; i < Group::size; i += Pack<T>::size)
        Pack<T>(f(Pack<T>::load(a.data() + i), Pack<T>::load(b.data() + i)))
            .store(one_by_one.data() + i);
      EXPECT_EQ(std::memcmp(whole.data(), one_by_one.data(), whole.size() * sizeof(T)), 0) << seed;
    }
  }
};

using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(PackGroupTest, Types);

TYPED_TEST(PackGroupTest, OperatorsAreThoseOfPacks) {
  this->expect_same([](auto a, auto b) { return a + b; });
  this->expect_same([](auto a, auto b) { return a - b; });
  this->expect_same([](auto a, auto b) { return a * b; });
  this->expect_same([](auto a, auto b) { return a / b; });
  this->expect_same([](auto a, auto) { return -a; });
  this->expect_same([](auto a, auto b) { return a += b; });
  this->expect_same([](auto a, auto) { return 2 * a + 1.5; });
}

TYPED_TEST(PackGroupTest, ComparisonsAreThoseOfPacks) {
  this->expect_same([](auto a, auto b) { return where(a < b, a, b); });
  this->expect_same([](auto a, auto b) { return where(a <= b, a, 7); });
  this->expect_same([](auto a, auto b) { return where(a > b, 7, b); });
  this->expect_same([](auto a, auto b) { return where(a >= b, b, a); });
  this->expect_same([](auto a, auto b) { return where(a == b, b, 0); });
  this->expect_same([](auto a, auto b) { return where(a != b, b, 0); });
  this->expect_same([](auto a, auto b) { return where((a < b) & (a < 0), a, b); });
  this->expect_same([](auto a, auto b) { return where((a < b) | (a < 0), a, b); });
  this->expect_same([](auto a, auto b) { return where(!(a < b), a, b); });
}

TYPED_TEST(PackGroupTest, FunctionsAreThoseOfPacks) {
  this->expect_same([](auto a, auto) { return abs(a); });
  this->expect_same([](auto a, auto) { return min(a, 0.5); });
  this->expect_same([](auto a, auto) { return max(a, 0.5); });
  this->expect_same([](auto a, auto b) { return min(a, b); });
  this->expect_same([](auto a, auto b) { return max(a, b); });
  this->expect_same([](auto a, auto) { return exp(a); });
  this->expect_same([](auto a, auto) { return expm1(a); });
  this->expect_same([](auto a, auto) { return log(a); });
  this->expect_same([](auto a, auto) { return log1p(a); });
  this->expect_same([](auto a, auto) { return log1p_of_unit(exp(-abs(a))); });
  this->expect_same([](auto a, auto) { return tanh(a); });
  this->expect_same([](auto a, auto b) { return exp_of_difference(a, b); });
  this->expect_same([](auto a, auto) {
    const auto y = exp(-abs(a));
    return log_of_complement(y, 1 - y);
  });
}

TYPED_TEST(PackGroupTest, MasksReadOneByteALane) {
  using Group = PackGroup<TypeParam, packs>;
  std::vector<std::uint8_t> bytes;
  for (std::size_t i = 0; i < Group::size; ++i) bytes.push_back(i % 3 == 0 ? 1 : 0);
  std::vector<TypeParam> chosen(Group::size);
  where(load_mask_of(std::type_identity<Group>(), bytes.data()), 1, Group(0)).store(chosen.data());
  for (std::size_t i = 0; i < Group::size; ++i) EXPECT_EQ(chosen[i], i % 3 == 0 ? 1 : 0);
}

TYPED_TEST(PackGroupTest, SomeLanesAreLoadedStoredAndTrue) {
  using Group = PackGroup<TypeParam, packs>;
  const std::type_identity<Group> type;
  for (std::size_t count = 0; count <= Group::size; ++count) {
    const std::vector<TypeParam> ones(count, 1);  // the address sanitizer finds what reads beyond
    const std::vector<std::uint8_t> bytes(count, 1);
    std::vector<TypeParam> some(count, 7), loaded(Group::size), masked(Group::size),
        first(Group::size);
    const Group group = Group::load(ones.data(), count);
    group.store(some.data(), count);
    group.store(loaded.data());
    where(load_mask_of(type, bytes.data(), count), 1, Group(0)).store(masked.data());
    where(first_lanes_of(type, count), 1, Group(0)).store(first.data());
    std::vector<TypeParam> expected(count, 1);
    EXPECT_EQ(some, expected);
    expected.resize(Group::size, 0);
    EXPECT_EQ(loaded, expected);
    EXPECT_EQ(masked, expected);
    EXPECT_EQ(first, expected);
  }
}

TYPED_TEST(PackGroupTest, RepeatsANumber) {
  using Group = PackGroup<TypeParam, packs>;
  std::vector<TypeParam> all(Group::size);
  Group::repeat(TypeParam(-0.0)).store(all.data());
  for (const TypeParam x : all) EXPECT_TRUE(x == 0 && std::signbit(x));
}

TYPED_TEST(PackGroupTest, EachNumberIsInOneGroupOrOnePack) {
  constexpr std::size_t lanes = Pack<TypeParam>::size;
  for (std::size_t size = 0; size <= 2 * packs * lanes + lanes + 1; ++size) {
    std::size_t next = 0, groups = 0;
    for_each_pack_group<TypeParam, packs>(
        size, [&]<class P>(std::type_identity<P>, std::size_t i, auto... left) {
          EXPECT_EQ(i, next);
          next += (P::size + ... + (left - P::size));
          if (P::size > lanes) ++groups;
        });
    EXPECT_EQ(next, size);
    EXPECT_EQ(groups, size / (packs * lanes));
  }
}

}  // namespace
}  // namespace ultr::pack_group_test
