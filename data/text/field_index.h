#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/text/short_texts.h"
#include "data/text/number_block.h"

namespace ultr {

// The fields of a text, many at a time. Internal to the library, as ByteBlock.

/// Bytes after a text that parse_fields may read, and entries after an array that append_bits may
/// write.
inline constexpr std::size_t spare_bytes = 64, spare_entries = 64;

#if defined(__AVX512BW__) && defined(__AVX512VL__) && defined(__BMI2__)

/// Stores `base` + i for each bit i of a word, in order, and returns their number.
inline std::size_t append_bits(std::uint64_t bits, std::uint32_t base, std::uint32_t* to) {
  const std::uint32_t* const begin = to;
  __m512i places =
      _mm512_add_epi32(_mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0),
                       _mm512_set1_epi32(static_cast<int>(base)));
  for (int sixteen = 0; sixteen < 4; ++sixteen, bits >>= 16) {
    const auto some = static_cast<std::uint16_t>(bits);
    _mm512_storeu_si512(to, _mm512_maskz_compress_epi32(some, places));
    to += std::popcount(some);
    places = _mm512_add_epi32(places, _mm512_set1_epi32(16));
  }
  return static_cast<std::size_t>(to - begin);
}
/// Returns a word whose bit k is set if the k-th of the bits of `all` is one of `some`.
inline std::uint64_t bits_among(std::uint64_t some, std::uint64_t all) {
  return _pext_u64(some, all);
}

/// Parses fields as numbers. Field i ends at text[ends[i]], where the next one begins after a byte.
/// Sets the bits of `unparsed`, with one word more, for fields that are empty, have more than 8
/// bytes, or not only digits; their numbers mean nothing.
inline void parse_fields(const char* text, std::uint32_t begin, std::span<const std::uint32_t> ends,
                         std::uint64_t* numbers, std::uint64_t* unparsed) {
  constexpr __mmask8 all = 0xff;
  const __m512i zero = _mm512_setzero_si512();
  const auto each = [](int byte) { return _mm512_set1_epi8(static_cast<char>(byte)); };
  unparsed[0] = 0;
  __m256i last = _mm256_set1_epi32(static_cast<int>(begin - 1));
  for (std::size_t i = 0; i < ends.size(); i += 8) {
    const __m256i end = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(ends.data() + i));
    // The end of the field before, in every lane.
    const __m256i before = _mm256_maskz_alignr_epi32(all, end, last, 7);
    last = end;
    const __m256i first = _mm256_sub_epi32(before, _mm256_set1_epi32(-1));
    const __m256i size = _mm256_sub_epi32(end, first);
    const std::size_t left = ends.size() - i;
    const auto lanes = static_cast<__mmask8>(left < 8 ? 0xff >> (8 - left) : 0xff);
    const __m512i bytes = _mm512_mask_i32gather_epi64(zero, lanes, first, text, 1);
    const __m512i shift =
        _mm512_sub_epi64(_mm512_set1_epi64(64),
                         _mm512_maskz_slli_epi64(all, _mm512_maskz_cvtepu32_epi64(all, size), 3));
    const __m512i digits = _mm512_maskz_sllv_epi64(all, _mm512_sub_epi8(bytes, each('0')), shift);
    const __m512i above = _mm512_or_si512(_mm512_add_epi8(digits, each(0x76)), digits);
    const __mmask8 sizes = _mm256_cmplt_epu32_mask(_mm256_add_epi32(size, _mm256_set1_epi32(-1)),
                                                   _mm256_set1_epi32(8));
    const auto wrong =
        static_cast<std::uint8_t>(_mm512_test_epi64_mask(above, each(0x80)) | ~sizes);
    _mm512_storeu_si512(numbers + i, detail::join_digits_of_lanes(digits));
    unparsed[i / 64] |= std::uint64_t{wrong} << (i % 64);
    if (i % 64 == 56) unparsed[i / 64 + 1] = 0;
  }
}

#else

/// Stores `base` + i for each bit i of a word, in order, and returns their number.
inline std::size_t append_bits(std::uint64_t bits, std::uint32_t base, std::uint32_t* to) {
  const std::uint32_t* const begin = to;
  for (; bits != 0; bits &= bits - 1)
    *to++ = base + static_cast<std::uint32_t>(std::countr_zero(bits));
  return static_cast<std::size_t>(to - begin);
}
/// Returns a word whose bit k is set if the k-th of the bits of `all` is one of `some`.
inline std::uint64_t bits_among(std::uint64_t some, std::uint64_t all) {
  std::uint64_t among = 0;
  for (; some != 0; some &= some - 1) {
    const std::uint64_t below = (some & (0 - some)) - 1;
    among |= std::uint64_t{1} << std::popcount(all & below);
  }
  return among;
}

/// Parses fields as numbers. Field i ends at text[ends[i]], where the next one begins after a byte.
/// Sets the bits of `unparsed`, with one word more, for fields that are empty, have more than 8
/// bytes, or not only digits; their numbers mean nothing.
inline void parse_fields(const char* text, std::uint32_t begin, std::span<const std::uint32_t> ends,
                         std::uint64_t* numbers, std::uint64_t* unparsed) {
  unparsed[0] = 0;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const std::size_t size = ends[i] - begin;
    std::uint64_t digits = each_byte(0xff);
    if (size - 1 < word_bytes) digits = digit_values({text + begin, size + spare_bytes}, size);
    numbers[i] = join_digits(digits);
    unparsed[i / 64] |= std::uint64_t{all_digits(digits) ? 0u : 1u} << (i % 64);
    if (i % 64 == 63) unparsed[i / 64 + 1] = 0;
    begin = ends[i] + 1;
  }
}

#endif

}  // namespace ultr
