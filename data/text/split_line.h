#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace ultr {

/// A line of a text that a LineReader has split at its separators, and perhaps parsed. Valid as
/// long as the line is.
class SplitLine {
 public:
  /// The fields of many lines as a LineReader finds them, one entry per field.
  struct Fields {
    const std::uint32_t* ends = nullptr;  // where each ends in the text
    std::uint64_t* numbers = nullptr;     // null if they are not parsed
    std::uint64_t* unparsed = nullptr;    // bits of fields that are not numbers or have many digits
  };

  SplitLine() = default;
  /// The line whose fields are the entries `first` to `first + count - 1`.
  SplitLine(const char* text, std::size_t begin, const Fields& all, std::size_t first,
            std::size_t count)
      : text_(text), begin_(begin), all_(all), first_(first), count_(count) {}

  /// The whole line.
  std::string_view text() const { return {text_ + begin_, end(count_ - 1) - begin_}; }
  /// Number of fields, at least 1.
  std::size_t fields() const { return count_; }
  std::string_view field(std::size_t i) const { return {text_ + begin(i), end(i) - begin(i)}; }
  /// The separator after field i, which must not be the last one.
  char separator(std::size_t i) const { return text_[end(i)]; }

  /// The fields as numbers; an entry means nothing unless are_numbers is true for its field.
  std::span<const std::uint64_t> numbers() const { return {all_.numbers + first_, count_}; }
  /// Returns true if `count` fields, from `first` on, are numbers from 0 to 2^64 - 1 without a
  /// sign.
  bool are_numbers(std::size_t first, std::size_t count) {
    for (std::size_t i = first; i < first + count; i += 64) {
      std::uint64_t unparsed = unparsed_from(first_ + i);
      if (const std::size_t left = first + count - i; left < 64)
        unparsed &= ~(~std::uint64_t{0} << left);
      for (; unparsed != 0; unparsed &= unparsed - 1)
        if (!parse(i + static_cast<std::size_t>(std::countr_zero(unparsed)))) return false;
    }
    return true;
  }

 private:
  std::size_t begin(std::size_t i) const { return i == 0 ? begin_ : end(i - 1) + 1; }
  std::size_t end(std::size_t i) const { return all_.ends[first_ + i]; }
  /// Returns bits `at` to `at` + 63 of all_.unparsed.
  std::uint64_t unparsed_from(std::size_t at) const {
    const std::uint64_t* const words = all_.unparsed + at / 64;
    const std::size_t shift = at % 64;
    return words[0] >> shift | words[1] << 1 << (63 - shift);
  }
  /// Parses a field of any length. Returns false if it is not a number.
  bool parse(std::size_t i);

  const char* text_ = nullptr;
  std::size_t begin_ = 0;
  Fields all_;
  std::size_t first_ = 0, count_ = 0;
};

}  // namespace ultr
