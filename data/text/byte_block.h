#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace ultr {

/// 64 bytes of a text in vector registers, in which bytes are found all at once. Internal to the
/// library: its size depends on compiler flags.
class ByteBlock {
 public:
  static constexpr std::size_t bytes = 64;

  /// Loads 64 bytes.
  explicit ByteBlock(const char* text) {
    for (std::size_t i = 0; i < parts; ++i) parts_[i] = load(text + i * sizeof(Part));
  }
  /// Loads the first `count` of 64 bytes and does not read the others, which are zero.
  ByteBlock(const char* text, std::size_t count) {
#if defined(__AVX512BW__)
    const std::uint64_t wanted = count >= bytes ? ~std::uint64_t{0} : ~(~std::uint64_t{0} << count);
    parts_[0] = _mm512_maskz_loadu_epi8(wanted, text);
#else
    std::array<char, bytes> copy{};
    if (count < bytes) std::memcpy(copy.data(), text, count);
    *this = ByteBlock(count < bytes ? copy.data() : text);
#endif
  }

  /// Returns a word whose bit i is set if byte i is `byte`.
  std::uint64_t equal(char byte) const {
    return collect([&](const Part& part) { return equal(part, fill(byte)); });
  }
  /// Returns a word whose bit i is set if byte i is a decimal digit.
  std::uint64_t digits() const {
    return collect([](const Part& part) { return digits(part); });
  }

 private:
#if defined(__AVX512BW__)
  using Part = __m512i;
  static Part load(const char* text) { return _mm512_loadu_si512(text); }
  static Part fill(char byte) { return _mm512_set1_epi8(byte); }
  static std::uint64_t equal(Part a, Part b) { return _mm512_cmpeq_epi8_mask(a, b); }
  static std::uint64_t digits(Part part) {
    return _mm512_cmple_epu8_mask(_mm512_sub_epi8(part, fill('0')), fill(9));
  }
#elif defined(__AVX2__)
  using Part = __m256i;
  static Part load(const char* text) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(text));
  }
  static Part fill(char byte) { return _mm256_set1_epi8(byte); }
  static std::uint64_t equal(Part a, Part b) {
    return static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(a, b)));
  }
  static std::uint64_t digits(Part part) {
    const Part value = _mm256_sub_epi8(part, fill('0'));
    return equal(_mm256_min_epu8(value, fill(9)), value);
  }
#elif defined(__SSE2__)
  using Part = __m128i;
  static Part load(const char* text) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(text));
  }
  static Part fill(char byte) { return _mm_set1_epi8(byte); }
  static std::uint64_t equal(Part a, Part b) {
    return static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(a, b)));
  }
  static std::uint64_t digits(Part part) {
    const Part value = _mm_sub_epi8(part, fill('0'));
    return equal(_mm_min_epu8(value, fill(9)), value);
  }
#else
  using Part = std::array<char, 8>;
  static Part load(const char* text) {
    Part part{};
    std::memcpy(part.data(), text, sizeof(Part));
    return part;
  }
  static char fill(char byte) { return byte; }
  template <class Holds>
  static std::uint64_t bits(const Part& part, const Holds& holds) {
    std::uint64_t found = 0;
    for (std::size_t i = 0; i < part.size(); ++i) found |= std::uint64_t{holds(part[i])} << i;
    return found;
  }
  static std::uint64_t equal(const Part& part, char byte) {
    return bits(part, [&](char at) { return at == byte; });
  }
  static std::uint64_t digits(const Part& part) {
    return bits(part, [](char at) { return at >= '0' && at <= '9'; });
  }
#endif
  static constexpr std::size_t parts = bytes / sizeof(Part);

  template <class Find>
  std::uint64_t collect(const Find& find) const {
    std::uint64_t found = 0;
    for (std::size_t i = 0; i < parts; ++i) found |= find(parts_[i]) << (i * sizeof(Part));
    return found;
  }

  Part parts_[parts];
};

}  // namespace ultr
