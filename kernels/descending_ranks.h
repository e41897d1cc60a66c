#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <type_traits>
#include <utility>

#include "kernels/pack.h"

namespace ultr::detail {

/// Ranks numbers in descending order: rank 0 is the largest, equal numbers keep their order, and
/// NaN comes last. Works in memory of the caller.
///
/// No branch depends on how two numbers compare, because the processor could only guess it: for a
/// list of 25 documents, std::sort costs more than evaluating all its pairs. Short lists are ranked
/// by counting the larger numbers, one register at a time; long lists by a radix sort.
template <class T>
class DescendingRanks {
 public:
  using Rank = typename BitsOf<T>::type;

  /// Returns the bytes needed to rank up to `most` numbers.
  static constexpr std::size_t bytes(std::size_t most) {
    return 2 * padded(most) * sizeof(Rank) + 2 * most * sizeof(std::uint32_t);
  }
  /// Uses `memory`, which is aligned for Rank and has bytes(most) bytes.
  DescendingRanks(std::byte* memory, std::size_t most)
      : keys_(reinterpret_cast<Rank*>(memory)),
        ranks_(keys_ + padded(most)),
        order_(reinterpret_cast<std::uint32_t*>(ranks_ + padded(most))),
        reordered_(order_ + most) {}

  /// Returns the rank of each of n numbers, valid until the next call.
  const Rank* operator()(const T* x, std::size_t n) {
    make_keys(x, n);
    if (n <= most_counted)
      count_larger(n);
    else
      sort(n);
    return ranks_;
  }

 private:
  using Vector = typename Lanes<T>::Vector;
  static constexpr std::size_t width = Pack<T>::size;
  static constexpr std::size_t most_counted = 200;  // above this, sorting is faster
  static constexpr std::size_t padded(std::size_t n) { return n + width; }

  /// Computes integers that compare as the numbers do; NaN has the smallest.
  void make_keys(const T* x, std::size_t n) {
    constexpr Rank magnitude = std::numeric_limits<Rank>::max();
    constexpr Rank smallest = std::numeric_limits<Rank>::min();
    const auto block = [&](std::size_t i, auto... lanes) {
      const Pack<T> number = Pack<T>::load(x + i, lanes...) + 0;  // -0 becomes 0
      const Vector bits = Bits<T>(number).vector;
      // Larger bits of a negative number are further from 0, so its bits below the sign are
      // flipped.
      const Vector key = bits ^ ((bits >> (8 * sizeof(T) - 1)) & magnitude);
      const Vector is_number = (number <= Pack<T>(HUGE_VAL)).vector;
      store(keys_ + i, is_number ? key : Vector{} + smallest);
    };
    for_each_pack<T>(n, block);
  }

  void count_larger(std::size_t n) {
    for (std::size_t i = 0; i < n; i += width) {
      const Vector own = load(keys_ + i);
      Vector count{};
      std::size_t j = 0;
      for (; j < i; ++j) count -= (Vector{} + keys_[j]) >= own;  // the earlier of equals is first
      for (; j < std::min(i + width, n); ++j) {
        const Vector other = Vector{} + keys_[j], later = ~first_lanes<T>(j - i + 1).vector;
        count -= (other > own) | ((other == own) & later);
      }
      for (; j < n; ++j) count -= (Vector{} + keys_[j]) > own;
      store(ranks_ + i, count);
    }
  }

  /// A radix sort, least significant digit first.
  void sort(std::size_t n) {
    using Unsigned = std::make_unsigned_t<Rank>;
    constexpr std::size_t digits = sizeof(Rank);
    const auto digit = [&](std::size_t i, std::size_t place) {
      const auto descending =
          static_cast<Unsigned>(keys_[i]) ^ static_cast<Unsigned>(std::numeric_limits<Rank>::max());
      return static_cast<std::uint8_t>(descending >> (8 * place));
    };
    std::array<std::array<std::uint32_t, 256>, digits> counts{};
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t place = 0; place < digits; ++place) ++counts[place][digit(i, place)];
    std::iota(order_, order_ + n, 0u);
    for (std::size_t place = 0; place < digits; ++place) {
      auto& next = counts[place];
      if (next[digit(0, place)] == n) continue;  // all keys share this digit
      std::exclusive_scan(next.begin(), next.end(), next.begin(), 0u);
      for (std::size_t k = 0; k < n; ++k) reordered_[next[digit(order_[k], place)]++] = order_[k];
      std::swap(order_, reordered_);
    }
    for (std::size_t k = 0; k < n; ++k) ranks_[order_[k]] = static_cast<Rank>(k);
  }

  static Vector load(const Rank* from) {
    Vector vector;
    std::memcpy(&vector, from, sizeof vector);
    return vector;
  }
  static void store(Rank* to, Vector vector) { std::memcpy(to, &vector, sizeof vector); }

  Rank *keys_, *ranks_;
  std::uint32_t *order_, *reordered_;
};

}  // namespace ultr::detail
