#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "kernels/pack.h"

namespace ultr {

#if defined(__AVX512F__)
namespace detail {

/// A table of up to 32 * pairs numbers, 32 in each pair of registers.
template <std::size_t pairs>
class TableInRegisters {
 public:
  static constexpr std::size_t most = 32 * pairs;

  explicit TableInRegisters(std::span<const float> table) {
    float numbers[most] = {};
    std::copy(table.begin(), table.end(), numbers);
    for (std::size_t pair = 0; pair < pairs; ++pair) {
      first_[pair] = _mm512_loadu_ps(numbers + 32 * pair);
      second_[pair] = _mm512_loadu_ps(numbers + 32 * pair + 16);
    }
  }

  /// Returns the numbers of 16 entries.
  __m512 look_up(__m512i entries) const {
    __m512 found[pairs];  // by the lowest five bits
    for (std::size_t pair = 0; pair < pairs; ++pair)
      found[pair] = _mm512_permutex2var_ps(first_[pair], entries, second_[pair]);
    for (std::size_t step = 1; step < pairs; step *= 2) {
      const __mmask16 upper =
          _mm512_test_epi32_mask(entries, _mm512_set1_epi32(static_cast<int>(32 * step)));
      for (std::size_t pair = 0; pair < pairs; pair += 2 * step)
        found[pair] = _mm512_mask_blend_ps(upper, found[pair], found[pair + step]);
    }
    return found[0];
  }

 private:
  __m512 first_[pairs], second_[pairs];
};

template <std::size_t pairs>
void look_up_in_registers(std::span<const float> table, std::span<const std::uint32_t> entries,
                          float* to) {
  const TableInRegisters<pairs> numbers(table);
  constexpr std::size_t lanes = 16;
  std::size_t i = 0;
  for (; i + lanes <= entries.size(); i += lanes)
    _mm512_storeu_ps(to + i, numbers.look_up(_mm512_loadu_si512(entries.data() + i)));
  const auto rest = static_cast<__mmask16>((1u << (entries.size() - i)) - 1);
  _mm512_mask_storeu_ps(to + i, rest,
                        numbers.look_up(_mm512_maskz_loadu_epi32(rest, entries.data() + i)));
}

}  // namespace detail
#endif

/// Writes table[entries[i]] for all i; the entries must be in the table. With AVX-512, registers
/// hold a table of up to 128 float32 numbers: 16 are looked up at once.
template <class T>
void look_up(std::span<const T> table, std::span<const std::uint32_t> entries, T* to) {
#if defined(__AVX512F__)
  if constexpr (std::is_same_v<T, float>) {
    if (table.size() <= 32) return detail::look_up_in_registers<1>(table, entries, to);
    if (table.size() <= 64) return detail::look_up_in_registers<2>(table, entries, to);
    if (table.size() <= 128) return detail::look_up_in_registers<4>(table, entries, to);
  }
#endif
  for (std::size_t i = 0; i < entries.size(); ++i) to[i] = table[entries[i]];
}

namespace detail {

/// Adds numbers[i] to sums[entries[i]] for all i. Small tables are summed in four copies, entry i
/// in copy i mod 4. Otherwise an addition would often wait for the previous one to the same
/// element.
template <class T>
void add_one_by_one(std::span<T> sums, std::span<const std::uint32_t> entries, const T* numbers) {
  constexpr std::size_t copies = 4, largest = 512;
  const std::size_t n = entries.size(), size = sums.size();
  if (size > largest || n < 4 * size) {
    for (std::size_t i = 0; i < n; ++i) sums[entries[i]] += numbers[i];
    return;
  }
  std::array<std::array<T, largest>, copies> partial;
  for (auto& copy : partial) std::fill_n(copy.begin(), size, T(0));
  std::size_t i = 0;
  for (; i + copies <= n; i += copies)
    for (std::size_t c = 0; c < copies; ++c) partial[c][entries[i + c]] += numbers[i + c];
  for (; i < n; ++i) partial[0][entries[i]] += numbers[i];
  for (std::size_t e = 0; e < size; ++e)
    sums[e] += (partial[0][e] + partial[1][e]) + (partial[2][e] + partial[3][e]);
}

/// Likewise, where all entries are from `least` to `most`: compares a register of entries with each
/// of these, four at a time.
inline void add_by_comparing(std::span<float> sums, std::uint32_t least, std::uint32_t most,
                             std::span<const std::uint32_t> entries, const float* numbers) {
  using P = Pack<float>;
  constexpr std::uint32_t together = 4;
  const std::size_t whole = entries.size() / P::size * P::size;
  for (std::uint32_t first = least; first <= most; first += together) {
    std::array<P, together> totals;
    totals.fill(P(0));
    for (std::size_t i = 0; i < whole; i += P::size) {
      const P here = P::load(numbers + i);
      Lanes<float>::Vector entry;
      std::memcpy(&entry, entries.data() + i, sizeof entry);
      for (std::uint32_t e = 0; e < together; ++e)
        totals[e] += where(Lanes<float>{entry == static_cast<std::int32_t>(first + e)}, here, 0);
    }
    for (std::uint32_t e = 0; e < together && first + e <= most; ++e)
      sums[first + e] += sum(totals[e]);
  }
  for (std::size_t i = whole; i < entries.size(); ++i) sums[entries[i]] += numbers[i];
}

}  // namespace detail

/// Adds numbers[i] to sums[entries[i]] for all i; the entries must be in the table. Blocks of
/// neighbours with few different entries, such as those of one rank, are added fastest.
template <class T>
void add_at(std::span<T> sums, std::span<const std::uint32_t> entries, const T* numbers) {
  if constexpr (std::is_same_v<T, float>) {
    constexpr std::size_t block = 256;
    constexpr std::uint32_t few = 16;
    std::size_t begin = 0;  // of what is not added yet
    for (std::size_t i = 0; i < entries.size(); i += block) {
      const auto some = entries.subspan(i, std::min(block, entries.size() - i));
      std::uint32_t least = some.front(), most = least;
      for (const std::uint32_t entry : some) {
        least = std::min(least, entry);
        most = std::max(most, entry);
      }
      if (most - least >= few) continue;
      detail::add_one_by_one(sums, entries.subspan(begin, i - begin), numbers + begin);
      detail::add_by_comparing(sums, least, most, some, numbers + i);
      begin = i + some.size();
    }
    detail::add_one_by_one(sums, entries.subspan(begin), numbers + begin);
  } else {
    detail::add_one_by_one(sums, entries, numbers);
  }
}

}  // namespace ultr
