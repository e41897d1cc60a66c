#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>
#include <utility>

#include "kernels/pack.h"
#include "kernels/vector_math.h"

/// Several packs side by side, with the arithmetic of one.
///
/// A formula such as log σ(x) is one long chain of instructions, each of which waits for the one
/// before. Processors look ahead some hundred instructions, hardly more than one such chain, and so
/// compute little else meanwhile. For a group, each step is computed pack by pack: while one waits,
/// the others go on. Results are those of single packs, bit by bit.
///
/// Functions that compute with groups must be inlined whole (`[[gnu::flatten]]`).
namespace ultr {

template <class T, std::size_t n>
struct PackGroup;

/// The truth values of a group of packs.
template <class T, std::size_t n>
struct LaneGroup {
  std::array<Lanes<T>, n> of;

  friend LaneGroup operator&(const LaneGroup& a, const LaneGroup& b) {
    return of_each_pack(std::bit_and<>(), a, b);
  }
  friend LaneGroup operator|(const LaneGroup& a, const LaneGroup& b) {
    return of_each_pack(std::bit_or<>(), a, b);
  }
  friend LaneGroup operator!(const LaneGroup& a) { return of_each_pack(std::logical_not<>(), a); }
};

namespace detail {

template <class T, std::size_t n>
PackGroup<T, n> group_of(const std::array<Pack<T>, n>& packs) {
  return PackGroup<T, n>(packs);
}
template <class T, std::size_t n>
LaneGroup<T, n> group_of(const std::array<Lanes<T>, n>& lanes) {
  return {lanes};
}

}  // namespace detail

/// Returns the group of f of the first packs of all x, f of the second, and so on.
template <class F, class First, class... Rest>
auto of_each_pack(F f, const First& first, const Rest&... rest) {
  return [&]<std::size_t... i>(std::index_sequence<i...>) {
    const auto of_packs = [&](auto k) { return f(first.of[k], rest.of[k]...); };
    return detail::group_of(std::array{of_packs(std::integral_constant<std::size_t, i>())...});
  }(std::make_index_sequence<std::tuple_size_v<decltype(first.of)>>());
}

/// Returns how many of the first `count` lanes of a group are in its pack i.
template <class T>
constexpr std::size_t lanes_of_pack(std::size_t i, std::size_t count) {
  const std::size_t before = std::min(count, i * Pack<T>::size);
  return std::min(count - before, Pack<T>::size);
}

/// n packs, each of as many numbers of type T as one vector register holds.
template <class T, std::size_t n>
struct PackGroup {
  using Scalar = T;
  using Packs = std::array<Pack<T>, n>;
  static constexpr std::size_t size = n * Pack<T>::size;

  Packs of;

  PackGroup() = default;
  explicit PackGroup(const Packs& packs) : PackGroup(packs, std::make_index_sequence<n>()) {}
  // Pack by pack, because GCC copies arrays through memory.
  PackGroup(const PackGroup& other) : PackGroup(other.of) {}
  PackGroup& operator=(const PackGroup& other) {
    [&]<std::size_t... i>(std::index_sequence<i...>) {
      ((of[i] = other.of[i]), ...);
    }(std::make_index_sequence<n>());
    return *this;
  }
  PackGroup(double all) : PackGroup(repeated(all)) {}  // NOLINT: implicit
  PackGroup(int all) : PackGroup(repeated(all)) {}     // NOLINT: implicit
  static PackGroup repeat(T all) { return PackGroup(repeated(Pack<T>::repeat(all))); }

  static PackGroup load(const T* from) {
    return [&]<std::size_t... i>(std::index_sequence<i...>) {
      return PackGroup(Packs{Pack<T>::load(from + i * Pack<T>::size)...});
    }(std::make_index_sequence<n>());
  }
  void store(T* to) const {
    [&]<std::size_t... i>(std::index_sequence<i...>) {
      (of[i].store(to + i * Pack<T>::size), ...);
    }(std::make_index_sequence<n>());
  }

  /// Loads `count` numbers into the first lanes; the others are 0. Reads nothing beyond them.
  static PackGroup load(const T* from, std::size_t count) {
    return [&]<std::size_t... i>(std::index_sequence<i...>) {
      return PackGroup(
          Packs{Pack<T>::load(from + i * Pack<T>::size, lanes_of_pack<T>(i, count))...});
    }(std::make_index_sequence<n>());
  }
  void store(T* to, std::size_t count) const {
    for (std::size_t i = 0; i < n; ++i)
      of[i].store(to + i * Pack<T>::size, lanes_of_pack<T>(i, count));
  }

  using Self = const PackGroup&;
  friend PackGroup operator+(Self a, Self b) { return of_each_pack(std::plus<>(), a, b); }
  friend PackGroup operator-(Self a, Self b) { return of_each_pack(std::minus<>(), a, b); }
  friend PackGroup operator*(Self a, Self b) { return of_each_pack(std::multiplies<>(), a, b); }
  friend PackGroup operator/(Self a, Self b) { return of_each_pack(std::divides<>(), a, b); }
  friend PackGroup operator-(Self a) { return of_each_pack(std::negate<>(), a); }
  PackGroup& operator+=(Self b) { return *this = *this + b; }

  using Truths = LaneGroup<T, n>;
  friend Truths operator<(Self a, Self b) { return of_each_pack(std::less<>(), a, b); }
  friend Truths operator<=(Self a, Self b) { return of_each_pack(std::less_equal<>(), a, b); }
  friend Truths operator>(Self a, Self b) { return of_each_pack(std::greater<>(), a, b); }
  friend Truths operator>=(Self a, Self b) { return of_each_pack(std::greater_equal<>(), a, b); }
  friend Truths operator==(Self a, Self b) { return of_each_pack(std::equal_to<>(), a, b); }
  friend Truths operator!=(Self a, Self b) { return of_each_pack(std::not_equal_to<>(), a, b); }

 private:
  template <std::size_t... i>
  PackGroup(const Packs& packs, std::index_sequence<i...>) : of{packs[i]...} {}
  static Packs repeated(Pack<T> each) {
    Packs packs;
    packs.fill(each);
    return packs;
  }
};

/// Selects `condition ? yes : no` lane by lane. Either may be a number.
template <class T, std::size_t n, class Yes, class No>
[[gnu::always_inline]] inline PackGroup<T, n> where(const LaneGroup<T, n>& condition,
                                                    const Yes& yes, const No& no) {
  using Group = PackGroup<T, n>;
  return of_each_pack([](auto c, auto y, auto z) { return where(c, y, z); }, condition, Group(yes),
                      Group(no));
}

// The functions of pack.h and vector_math.h.

template <class T, std::size_t n>
PackGroup<T, n> abs(const PackGroup<T, n>& x) {
  return of_each_pack([](auto p) { return abs(p); }, x);
}
template <class T, std::size_t n>
PackGroup<T, n> min(const PackGroup<T, n>& x, double bound) {
  return of_each_pack([bound](auto p) { return min(p, bound); }, x);
}
template <class T, std::size_t n>
PackGroup<T, n> min(const PackGroup<T, n>& a, const PackGroup<T, n>& b) {
  return of_each_pack([](auto p, auto q) { return min(p, q); }, a, b);
}
template <class T, std::size_t n>
PackGroup<T, n> max(const PackGroup<T, n>& x, double bound) {
  return of_each_pack([bound](auto p) { return max(p, bound); }, x);
}
template <class T, std::size_t n>
PackGroup<T, n> max(const PackGroup<T, n>& a, const PackGroup<T, n>& b) {
  return of_each_pack([](auto p, auto q) { return max(p, q); }, a, b);
}
template <class T, std::size_t n>
PackGroup<T, n> exp(const PackGroup<T, n>& x) {
  return of_each_pack([](auto p) { return exp(p); }, x);
}
template <class T, std::size_t n>
PackGroup<T, n> expm1(const PackGroup<T, n>& x) {
  return of_each_pack([](auto p) { return expm1(p); }, x);
}
template <class T, std::size_t n>
PackGroup<T, n> log(const PackGroup<T, n>& x) {
  return of_each_pack([](auto p) { return log(p); }, x);
}
template <class T, std::size_t n>
PackGroup<T, n> log1p(const PackGroup<T, n>& x) {
  return of_each_pack([](auto p) { return log1p(p); }, x);
}
template <class T, std::size_t n>
PackGroup<T, n> log1p_of_unit(const PackGroup<T, n>& x) {
  return of_each_pack([](auto p) { return log1p_of_unit(p); }, x);
}
template <class T, std::size_t n>
PackGroup<T, n> tanh(const PackGroup<T, n>& x) {
  return of_each_pack([](auto p) { return tanh(p); }, x);
}
template <class T, std::size_t n>
PackGroup<T, n> exp_of_difference(const PackGroup<T, n>& a, const PackGroup<T, n>& b) {
  return of_each_pack([](auto p, auto q) { return exp_of_difference(p, q); }, a, b);
}
template <class T, std::size_t n>
PackGroup<T, n> log_of_complement(const PackGroup<T, n>& y, const PackGroup<T, n>& w) {
  return of_each_pack([](auto p, auto q) { return log_of_complement(p, q); }, y, w);
}

/// Loads bytes as truth values of the packs of a type: true where the byte is not 0. Of `count`
/// bytes, lanes beyond are false.
template <class T, class... Count>
Lanes<T> load_mask_of(std::type_identity<Pack<T>>, const std::uint8_t* from, Count... count) {
  return load_mask<T>(from, count...);
}
template <class T, std::size_t n>
LaneGroup<T, n> load_mask_of(std::type_identity<PackGroup<T, n>>, const std::uint8_t* from,
                             std::size_t count = PackGroup<T, n>::size) {
  return [&]<std::size_t... i>(std::index_sequence<i...>) {
    return LaneGroup<T, n>{{load_mask<T>(from + i * Pack<T>::size, lanes_of_pack<T>(i, count))...}};
  }(std::make_index_sequence<n>());
}

/// Returns truth values of the packs of a type, of which the first `count` are true.
template <class T>
Lanes<T> first_lanes_of(std::type_identity<Pack<T>>, std::size_t count) {
  return first_lanes<T>(count);
}
template <class T, std::size_t n>
LaneGroup<T, n> first_lanes_of(std::type_identity<PackGroup<T, n>>, std::size_t count) {
  return [&]<std::size_t... i>(std::index_sequence<i...>) {
    return LaneGroup<T, n>{{first_lanes<T>(lanes_of_pack<T>(i, count))...}};
  }(std::make_index_sequence<n>());
}

/// Memory for a pack of numbers, or a group.
template <class P>
struct alignas(pack_bytes) PackMemory {
  typename P::Scalar numbers[P::size];

  P load() const { return P::load(numbers); }
  void store(const P& pack) { pack.store(numbers); }
  void add(const P& pack) { store(load() + pack); }
};

/// Calls block(type, i) for each n whole packs of `size` numbers, which start at number i, where
/// `type` is PackGroup<T, n> as a std::type_identity; then block(type, i) for each pack that is
/// left, and block(type, i, lanes) if `lanes` numbers are left.
template <class T, std::size_t n, class Block>
void for_each_pack_group(std::size_t size, Block block) {
  using P = Pack<T>;
  std::size_t i = 0;
  for (; i + n * P::size <= size; i += n * P::size) block(std::type_identity<PackGroup<T, n>>(), i);
  for (; i + P::size <= size; i += P::size) block(std::type_identity<P>(), i);
  if (i < size) block(std::type_identity<P>(), i, size - i);
}

}  // namespace ultr
