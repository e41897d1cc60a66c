#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/text/short_texts.h"
#include "data/text/byte_block.h"

namespace ultr {

/// The first eight fields of a text, which were parsed as numbers. A comma or the end of the text
/// ends a field, and only fields that end in the first 64 bytes count. Internal to the
/// library, as ByteBlock.
struct NumberBlock {
  static constexpr std::size_t most = 8;

  std::uint64_t ends = 0;  // bit i: a field ends before byte i; not only the first eight fields
  std::size_t count = 0;   // fields, at most 8
  bool last = false;       // the last of them ends with the text
  unsigned wrong = 0;      // bit i: field i is empty, has more than 8 bytes, or not only digits

  /// Returns where field i, one of the first eight, ends.
  std::size_t end(std::size_t i) const {
    std::uint64_t left = ends;
#if defined(__BMI2__)
    left = _pdep_u64(std::uint64_t{1} << i, left);
#else
    for (; i > 0; --i) left &= left - 1;
#endif
    return static_cast<std::size_t>(std::countr_zero(left));
  }
  std::size_t begin(std::size_t i) const { return i == 0 ? 0 : end(i - 1) + 1; }
  /// Number of fields before the first wrong one.
  std::size_t good() const {
    return std::min(count, static_cast<std::size_t>(std::countr_zero(wrong)));
  }
};

/// Returns a block without numbers: where the fields of a text end.
inline NumberBlock find_ends(std::uint64_t commas, std::size_t text_size) {
  NumberBlock block;
  block.ends = commas;
  if (text_size < ByteBlock::bytes) block.ends |= std::uint64_t{1} << text_size;
  const auto fields = static_cast<std::size_t>(std::popcount(block.ends));
  block.count = std::min(NumberBlock::most, fields);
  block.last = text_size < ByteBlock::bytes && fields <= NumberBlock::most;
  return block;
}

#if defined(__AVX512BW__) && defined(__AVX512VL__)

namespace detail {
/// Returns the numbers whose digits, 0 to 9, are the bytes of each 64-bit lane.
inline __m512i join_digits_of_lanes(__m512i digits) {
  const __m512i pairs = _mm512_maddubs_epi16(digits, _mm512_set1_epi16(0x010a));  // 10, 1
  const __m512i fours = _mm512_madd_epi16(pairs, _mm512_set1_epi32(0x00010064));  // 100, 1
  return _mm512_add_epi64(_mm512_maskz_mul_epu32(0xff, fours, _mm512_set1_epi64(10'000)),
                          _mm512_maskz_srli_epi64(0xff, fours, 32));
}
}  // namespace detail

#endif

#if defined(__AVX512VBMI2__) && defined(__AVX512VBMI__) && defined(__AVX512BW__) && \
    defined(__AVX512VL__)

namespace detail {
// GCC 12 warns of the undefined registers in its own header, which functions with a mask lack.
inline constexpr __mmask8 all_lanes = 0xff;
inline constexpr __mmask64 all_bytes = ~__mmask64{0};

inline __m128i first_part(__m512i bytes) { return _mm512_maskz_extracti32x4_epi32(0xf, bytes, 0); }

/// Copies each of the first eight bytes to all bytes of a 64-bit lane.
inline __m512i spread(__m128i bytes) {
  const __m512i first_of_lane = _mm512_set_epi64(0x0808080808080808, 0, 0x0808080808080808, 0,
                                                 0x0808080808080808, 0, 0x0808080808080808, 0);
  return _mm512_maskz_shuffle_epi8(all_bytes, _mm512_maskz_cvtepu8_epi64(all_lanes, bytes),
                                   first_of_lane);
}
/// Moves the begin of each field behind a `byte` there, and sets its bit.
inline __m128i skip_byte(__m512i text, char byte, __m128i begins, __mmask16& skipped) {
  const __m128i first =
      first_part(_mm512_maskz_permutexvar_epi8(all_bytes, _mm512_zextsi128_si512(begins), text));
  skipped = _mm_cmpeq_epi8_mask(first, _mm_set1_epi8(byte));
  return _mm_mask_add_epi8(begins, skipped, begins, _mm_set1_epi8(1));
}
inline const __m512i& byte_numbers() {
  alignas(64) static constexpr auto numbers = [] {
    std::array<std::uint8_t, 64> all{};
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint8_t>(i);
    return all;
  }();
  return *reinterpret_cast<const __m512i*>(numbers.data());
}
}  // namespace detail

/// Parses the first fields of a text. Stores their numbers, which mean nothing where fields are
/// wrong or missing, at numbers[0] to numbers[7]. A field may begin with a space, which is skipped,
/// and then with a minus.
[[gnu::always_inline]] inline NumberBlock parse_block(std::string_view text,
                                                      std::uint64_t* numbers) {
  constexpr std::size_t most_bytes = ByteBlock::bytes;
  const std::size_t left = std::min(text.size(), most_bytes);
  const __m512i bytes =
      _mm512_maskz_loadu_epi8(_bzhi_u64(~0ull, static_cast<unsigned>(left)), text.data());
  NumberBlock block = find_ends(_mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(',')), text.size());
  const __m128i end =
      detail::first_part(_mm512_maskz_compress_epi8(block.ends, detail::byte_numbers()));
  __m128i begin =
      _mm_add_epi8(_mm_slli_si128(end, 1), _mm_set_epi64x(0x0101010101010101, 0x0101010101010100));
  __mmask16 ignored = 0, negative = 0;
  begin = detail::skip_byte(bytes, ' ', begin, ignored);
  begin = detail::skip_byte(bytes, '-', begin, negative);
  // Byte k of lane i comes from end[i] - 8 + k, if that is not before begin[i].
  const __m512i from = _mm512_add_epi8(
      detail::spread(end), _mm512_set1_epi64(static_cast<long long>(0xfffefdfcfbfaf9f8u)));
  const __mmask64 within = _mm512_cmpge_epi8_mask(from, detail::spread(begin));
  const __m512i digits =
      _mm512_maskz_permutexvar_epi8(within, from, _mm512_sub_epi8(bytes, _mm512_set1_epi8('0')));
  const __mmask64 others = _mm512_cmpgt_epu8_mask(digits, _mm512_set1_epi8(9));
  const __m512i other_bytes = _mm512_movm_epi8(others);
  const unsigned good_sizes = _mm_cmplt_epu8_mask(
      _mm_sub_epi8(_mm_sub_epi8(end, begin), _mm_set1_epi8(1)), _mm_set1_epi8(8));
  block.wrong =
      (_mm512_test_epi64_mask(other_bytes, other_bytes) | ~good_sizes) & ((1u << block.count) - 1);
  const __m512i joined = detail::join_digits_of_lanes(digits);
  _mm512_storeu_si512(numbers, _mm512_mask_sub_epi64(joined, static_cast<__mmask8>(negative),
                                                     _mm512_setzero_si512(), joined));
  return block;
}

#else

/// Parses the first fields of a text. Stores their numbers, which mean nothing where fields are
/// wrong or missing, at numbers[0] to numbers[7]. A field may begin with a space, which is skipped,
/// and then with a minus.
[[gnu::always_inline]] inline NumberBlock parse_block(std::string_view text,
                                                      std::uint64_t* numbers) {
  NumberBlock block = find_ends(ByteBlock(text.data(), text.size()).equal(','), text.size());
  std::uint64_t ends = block.ends;
  for (std::size_t i = 0, begin = 0; i < block.count; ++i, ends &= ends - 1) {
    const auto end = static_cast<std::size_t>(std::countr_zero(ends));
    if (text.substr(begin).starts_with(' ')) ++begin;
    const bool negative = text.substr(begin).starts_with('-');
    begin += negative ? 1 : 0;
    const std::size_t size = end - begin;
    std::uint64_t digits = each_byte(0xff);
    if (size - 1 < word_bytes) digits = digit_values(text.substr(begin), size);
    block.wrong |= all_digits(digits) ? 0 : 1u << i;
    const std::uint64_t number = join_digits(digits);
    numbers[i] = negative ? 0 - number : number;
    begin = end + 1;
  }
  return block;
}

#endif

}  // namespace ultr
