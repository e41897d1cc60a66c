#pragma once

#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace ultr {

inline constexpr std::size_t word_bytes = 8;

/// Returns a word with every byte equal to `byte`.
constexpr std::uint64_t each_byte(unsigned char byte) { return 0x0101010101010101u * byte; }

/// Returns `count` characters in the low bytes of a word.
template <std::size_t count>
std::uint64_t load(const char* text) {
  static_assert(std::endian::native == std::endian::little);
  std::uint64_t word = 0;
  std::memcpy(&word, text, count);
  return word;
}

/// Returns 1 to 7 characters in the low bytes of a word, by overlapping loads of fixed size.
inline std::uint64_t load_few(const char* text, std::size_t count) {
  if (count >= 4) return load<4>(text) | load<4>(text + count - 4) << (8 * (count - 4));
  if (count >= 2) return load<2>(text) | load<2>(text + count - 2) << (8 * (count - 2));
  return load<1>(text);
}

/// Returns true if two texts are equal. Fast for short ones.
inline bool equal_texts(std::string_view a, std::string_view b) {
  const std::size_t size = a.size();
  if (size != b.size()) return false;
  if (size > 4 * word_bytes) return a == b;
  if (size < word_bytes) return size == 0 || load_few(a.data(), size) == load_few(b.data(), size);
  std::uint64_t different = 0;
  for (std::size_t at = 0; at + word_bytes < size; at += word_bytes)
    different |= load<word_bytes>(a.data() + at) ^ load<word_bytes>(b.data() + at);
  const std::size_t last = size - word_bytes;
  return (different | (load<word_bytes>(a.data() + last) ^ load<word_bytes>(b.data() + last))) == 0;
}

/// Returns the number whose digits, 0 to 9, are the bytes of a word, the first digit in the lowest
/// byte.
inline std::uint64_t join_digits(std::uint64_t word) {
  word = word * 10 + (word >> 8);  // two-digit numbers in every other byte
  constexpr std::uint64_t pair = 0x000000ff000000ffu;
  return ((word & pair) * 0x000f424000000064u + (word >> 16 & pair) * 0x0000271000000001u) >> 32;
}

/// Returns the values of the first `size` bytes of a text, 1 to 8 digits, in a word: that of the
/// last digit in the highest byte, and zeros in front. A byte that is no digit has a value above 9.
inline std::uint64_t digit_values(std::string_view text, std::size_t size) {
  const std::uint64_t bytes =
      text.size() >= word_bytes ? load<word_bytes>(text.data()) : load_few(text.data(), size);
  return (bytes ^ each_byte('0')) << (8 * (word_bytes - size));
}

/// Returns true if all bytes of a word are at most 9.
constexpr bool all_digits(std::uint64_t values) {
  return (((values + each_byte(0x76)) | values) & each_byte(0x80)) == 0;
}

/// Parses the first `size` bytes of a text as a number without a sign. Returns false if one of them
/// is no digit, there is none, or the number exceeds 2^64 - 1. It is faster if more text follows.
inline bool parse_digits(std::string_view text, std::size_t size, std::uint64_t& number) {
  if (size - 1 < word_bytes) {
    const std::uint64_t values = digit_values(text, size);
    number = join_digits(values);
    return all_digits(values);
  }
  constexpr std::uint64_t next_word = 100'000'000;
  if (size - 1 < 2 * word_bytes) {
    const std::size_t first = size - word_bytes;
    const std::uint64_t high = digit_values(text, first),
                        low = digit_values(text.substr(first), word_bytes);
    number = join_digits(high) * next_word + join_digits(low);
    return all_digits(high) && all_digits(low);
  }
  const char* const end = text.data() + size;
  const auto [parsed, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && parsed == end;
}

}  // namespace ultr
