#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "kernels/pack.h"

namespace ultr {

namespace detail {

/// Entries that are looked at together to find their range. In neighbours of one rank it is small.
inline constexpr std::size_t entries_in_block = 256;

/// The least and the largest of some entries.
struct EntryRange {
  std::uint32_t least, most;

  explicit EntryRange(std::span<const std::uint32_t> entries)
      : least(entries.front()), most(least) {
    for (const std::uint32_t entry : entries) {
      least = std::min(least, entry);
      most = std::max(most, entry);
    }
  }
  std::size_t size() const { return std::size_t{most} - least + 1; }
};

#if defined(__AVX512F__)
inline constexpr std::size_t largest_in_registers = 128;

using Entries = Lanes<float>::Vector;

/// Chooses `upper` where a bit of the entry is 1.
inline Pack<float> choose_by_bit(Entries entries, std::int32_t bit, Pack<float> lower,
                                 Pack<float> upper) {
  return where(Lanes<float>{(entries & bit) != 0}, upper, lower);
}

/// Looks up in two registers of numbers, by the lowest bits of the entries.
inline Pack<float> look_up_in_two(Pack<float> first, Pack<float> second, Entries entries) {
  return {_mm512_permutex2var_ps(first.vector, __m512i(entries), second.vector)};
}

/// A table of as many numbers as some pairs of registers hold.
template <std::size_t pairs>
class TableInRegisters {
 public:
  explicit TableInRegisters(std::span<const float> table) {
    float numbers[2 * pairs * Pack<float>::size] = {};
    std::copy(table.begin(), table.end(), numbers);
    for (std::size_t i = 0; i < 2 * pairs; ++i)
      registers_[i] = Pack<float>::load(numbers + i * Pack<float>::size);
  }

  /// Looks up in `count` of the pairs.
  template <std::size_t first = 0, std::size_t count = pairs>
  Pack<float> look_up(Entries entries) const {
    if constexpr (count == 1) {
      return look_up_in_two(registers_[2 * first], registers_[2 * first + 1], entries);
    } else {
      constexpr std::size_t half = count / 2;
      return choose_by_bit(entries, 2 * half * Pack<float>::size, look_up<first, half>(entries),
                           look_up<first + half, half>(entries));
    }
  }

 private:
  Pack<float> registers_[2 * pairs];
};

/// Writes table[entries[i] - least] for all i, if so many pairs of registers hold the table;
/// otherwise looks it up in twice as many. The table has at most `largest_in_registers` numbers.
template <std::size_t pairs = 1>
void look_up_in_registers(std::span<const float> table, std::span<const std::uint32_t> entries,
                          std::uint32_t least, float* to) {
  constexpr std::size_t most = 2 * pairs * Pack<float>::size;
  if constexpr (most < largest_in_registers)
    if (table.size() > most) return look_up_in_registers<2 * pairs>(table, entries, least, to);
  const TableInRegisters<pairs> numbers(table);
  for_each_pack<float>(entries.size(), [&](std::size_t i, auto... lanes) {
    Entries some{};
    std::memcpy(&some, entries.data() + i, std::min({sizeof some, lanes * sizeof some[0]...}));
    some -= static_cast<std::int32_t>(least);
    numbers.look_up(some).store(to + i, lanes...);
  });
}
#endif

}  // namespace detail

/// Writes table[entries[i]] for all i; the entries must be in the table. Blocks of float32 numbers
/// from a small part of the table, such as those of one rank, are looked up in registers with
/// AVX-512, 16 at a time; with AVX2 that was no faster.
template <class T>
void look_up(std::span<const T> table, std::span<const std::uint32_t> entries, T* to) {
  for (std::size_t begin = 0; begin < entries.size(); begin += detail::entries_in_block) {
    const auto some =
        entries.subspan(begin, std::min(detail::entries_in_block, entries.size() - begin));
#if defined(__AVX512F__)
    if constexpr (std::is_same_v<T, float>) {
      const detail::EntryRange range(some);
      if (range.size() <= detail::largest_in_registers) {
        detail::look_up_in_registers(table.subspan(range.least, range.size()), some, range.least,
                                     to + begin);
        continue;
      }
    }
#endif
    for (std::size_t i = 0; i < some.size(); ++i) to[begin + i] = table[some[i]];
  }
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
    constexpr std::size_t few = 16;
    std::size_t begin = 0;  // of what is not added yet
    for (std::size_t i = 0; i < entries.size(); i += detail::entries_in_block) {
      const auto some = entries.subspan(i, std::min(detail::entries_in_block, entries.size() - i));
      const detail::EntryRange range(some);
      if (range.size() > few) continue;
      detail::add_one_by_one(sums, entries.subspan(begin, i - begin), numbers + begin);
      detail::add_by_comparing(sums, range.least, range.most, some, numbers + i);
      begin = i + some.size();
    }
    detail::add_one_by_one(sums, entries.subspan(begin), numbers + begin);
  } else {
    detail::add_one_by_one(sums, entries, numbers);
  }
}

}  // namespace ultr
