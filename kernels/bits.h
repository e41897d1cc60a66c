#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

/// Sets of places among 64, as the bits of a word: how they are found, and what is done with those
/// that are 1.
namespace ultr {

/// Compares 64 bytes with a value. Bit i of the result is 1 if byte i equals it.
inline std::uint64_t bits_equal_to(std::uint8_t value, const std::uint8_t* from) {
#if defined(__AVX512BW__)
  const __m512i wanted = _mm512_set1_epi8(static_cast<char>(value));
  return _mm512_cmpeq_epi8_mask(_mm512_loadu_si512(from), wanted);
#else
  std::uint64_t bits = 0;
#if defined(__AVX2__)
  for (int i = 0; i < 64; i += 32) {
    __m256i bytes;
    std::memcpy(&bytes, from + i, sizeof bytes);
    const __m256i equal = _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(static_cast<char>(value)));
    bits |= std::uint64_t{static_cast<std::uint32_t>(_mm256_movemask_epi8(equal))} << i;
  }
#elif defined(__SSE2__)
  for (int i = 0; i < 64; i += 16) {
    __m128i bytes;
    std::memcpy(&bytes, from + i, sizeof bytes);
    const __m128i equal = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(static_cast<char>(value)));
    bits |= std::uint64_t{static_cast<std::uint16_t>(_mm_movemask_epi8(equal))} << i;
  }
#else
  for (int i = 0; i < 64; ++i) bits |= std::uint64_t{from[i] == value} << i;
#endif
  return bits;
#endif
}

/// Calls visit(i) for each bit i that is 1, in ascending order. Fast even if the bits follow no
/// pattern, because nothing is decided per bit.
template <class Visit>
void for_each_bit(std::uint64_t bits, Visit visit) {
  for (; bits != 0; bits &= bits - 1) visit(static_cast<std::size_t>(std::countr_zero(bits)));
}

#if defined(__AVX2__)
namespace detail {

/// The places of the bits that are 1 in a byte, ascending, for each byte.
inline constexpr auto ones_of_byte = [] {
  constexpr std::uint8_t bits = 8;
  std::array<std::array<std::uint8_t, bits>, 256> ones{};
  for (std::size_t byte = 0; byte < ones.size(); ++byte)
    for (std::uint8_t bit = 0, next = 0; bit < bits; ++bit)
      if ((byte >> bit & 1) != 0) ones[byte][next++] = bit;
  return ones;
}();

/// Loads the places of the bits that are 1 in a byte, as 8 integers.
inline __m256i load_ones_of(std::uint8_t byte) {
  __m128i ones = _mm_setzero_si128();
  std::memcpy(&ones, ones_of_byte[byte].data(), sizeof ones_of_byte[byte]);
  return _mm256_cvtepu8_epi32(ones);
}

}  // namespace detail
#endif

/// Copies those of 64 numbers whose bit is 1 to consecutive places and returns how many there are.
/// Up to 64 numbers from `to` on may be overwritten. For words with many bits set.
template <class T>
std::size_t copy_chosen(std::uint64_t bits, const T* from, T* to) {
  T* const first = to;
#if defined(__AVX2__)
  if constexpr (sizeof(T) == 4) {
    constexpr int lanes = 8;
    for (int i = 0; i < 64; i += lanes, from += lanes) {
      const auto few = static_cast<std::uint8_t>(bits >> i);
      __m256i numbers;
      std::memcpy(&numbers, from, sizeof numbers);
      numbers = _mm256_permutevar8x32_epi32(numbers, detail::load_ones_of(few));
      std::memcpy(to, &numbers, sizeof numbers);
      to += std::popcount(few);
    }
    return static_cast<std::size_t>(to - first);
  }
#endif
  for_each_bit(bits, [&](std::size_t i) { *to++ = from[i]; });
  return static_cast<std::size_t>(to - first);
}

/// Writes first + i for each bit i that is 1, in ascending order, and returns how many there are.
/// Up to 64 numbers from `to` on may be overwritten.
inline std::size_t list_ones(std::uint64_t bits, std::uint32_t first, std::uint32_t* to) {
  std::uint32_t* const begin = to;
#if defined(__AVX512F__)
  constexpr int lanes = 16;
  const __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  __m512i places = _mm512_add_epi32(_mm512_set1_epi32(static_cast<int>(first)), lane);
  for (int i = 0; i < 64; i += lanes) {
    const auto some = static_cast<__mmask16>(bits >> i);
    const __m512i ones = _mm512_maskz_compress_epi32(some, places);
    std::memcpy(to, &ones, sizeof ones);
    to += std::popcount(some);
    places = _mm512_add_epi32(places, _mm512_set1_epi32(lanes));
  }
#elif defined(__AVX2__)
  constexpr int lanes = 8;
  for (int i = 0; i < 64; i += lanes) {
    const auto few = static_cast<std::uint8_t>(bits >> i);
    const __m256i ones =
        _mm256_add_epi32(_mm256_set1_epi32(static_cast<int>(first) + i), detail::load_ones_of(few));
    std::memcpy(to, &ones, sizeof ones);
    to += std::popcount(few);
  }
#else
  for_each_bit(bits, [&](std::size_t i) { *to++ = first + static_cast<std::uint32_t>(i); });
#endif
  return static_cast<std::size_t>(to - begin);
}

}  // namespace ultr
