#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

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

}  // namespace ultr
