#include "data/text/line_fields.h"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include <fmt/core.h>

#include "base/error.h"
#include "base/quote.h"

namespace ultr {
namespace {

constexpr std::size_t most_quoted_field = 40;  // characters of a field that a message quotes

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
std::uint64_t load_few(const char* text, std::size_t count) {
  if (count >= 4) return load<4>(text) | load<4>(text + count - 4) << (8 * (count - 4));
  if (count >= 2) return load<2>(text) | load<2>(text + count - 2) << (8 * (count - 2));
  return load<1>(text);
}

/// Returns the number whose digits, 0 to 9, are the bytes of a word, the first digit in the lowest
/// byte.
std::uint64_t join_digits(std::uint64_t word) {
  word = word * 10 + (word >> 8);  // two-digit numbers in every other byte
  constexpr std::uint64_t pair = 0x000000ff000000ffu;
  return ((word & pair) * 0x000f424000000064u + (word >> 16 & pair) * 0x0000271000000001u) >> 32;
}

template <class Integer>
bool parse_all(std::string_view text, Integer& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

/// Reads numbers in a text from its front, eight characters at a time.
class DigitReader {
 public:
  explicit DigitReader(std::string_view text) : at_(text.data()), end_(at_ + text.size()) {}

  bool at_end() const { return at_ == end_; }
  std::string_view rest() const { return {at_, static_cast<std::size_t>(end_ - at_)}; }
  bool next_is(char character) const { return at_ != end_ && *at_ == character; }
  bool skip(char character) {
    const bool there = next_is(character);
    at_ += there ? 1 : 0;
    return there;
  }
  /// Reads a number below 2^64. Returns false, with some characters skipped, if there is none.
  bool next(std::uint64_t& number) {
    const char* const begin = at_;
    std::uint64_t digits = 0;
    const std::size_t size = next_digits(digits);
    number = join_digits(digits);
    if (size < word_bytes) return size > 0;
    const std::size_t more = next_digits(digits);
    if (more == 0) return true;
    constexpr std::array<std::uint64_t, word_bytes + 1> powers = {
        1, 10, 100, 1000, 10'000, 100'000, 1'000'000, 10'000'000, 100'000'000};
    number = number * powers[more] + join_digits(digits);
    if (more < word_bytes || at_ == end_ || *at_ < '0' || *at_ > '9') return true;
    const auto [end, error] = std::from_chars(begin, end_, number);  // it has more than 16 digits
    at_ = end;
    return error == std::errc();
  }

 private:
  static constexpr std::size_t word_bytes = 8;

  /// Reads up to 8 digits into `word`, with zeros in front to make 8, and returns how many it read.
  std::size_t next_digits(std::uint64_t& word) {
    const std::uint64_t bytes = next_word() ^ each_byte('0');
    // Sets the highest bit of the first byte that is not a digit, and perhaps of bytes behind it.
    const std::uint64_t others = ((bytes + each_byte(0x76)) | bytes) & each_byte(0x80);
    const std::size_t size =
        others == 0 ? word_bytes : static_cast<std::size_t>(std::countr_zero(others)) / 8;
    word = size == 0 ? 0 : bytes << (8 * (word_bytes - size));
    at_ += size;
    return size;
  }
  /// Returns the next 8 characters, with zero bytes, which are not digits, behind the end.
  std::uint64_t next_word() const {
    const auto left = static_cast<std::size_t>(end_ - at_);
    if (left >= word_bytes) return load<word_bytes>(at_);
    return left == 0 ? 0 : load_few(at_, left);
  }

  const char *at_, *end_;
};

/// Parses a number without a sign as parse_all does, but faster.
bool parse_digits(std::string_view text, std::uint64_t& number) {
  DigitReader at(text);
  return at.next(number) && at.at_end();
}

/// Parses the numbers of a list such as "1, -2, 3", with at most one space behind each comma.
/// Returns false, with some numbers appended, for any other text or a number out of range.
bool parse_plain_list(std::string_view text, std::int64_t low, std::int64_t high,
                      std::vector<std::int64_t>& numbers) {
  DigitReader at(text);
  std::uint64_t digits = 0;
  for (bool negative = at.skip('-'); at.next(digits); negative = at.skip('-')) {
    if (digits > std::numeric_limits<std::int64_t>::max()) return false;
    const auto magnitude = static_cast<std::int64_t>(digits);
    const std::int64_t number = negative ? -magnitude : magnitude;
    if (number < low || number > high) return false;
    numbers.push_back(number);
    if (at.at_end()) return true;
    if (!at.skip(',')) return false;
    at.skip(' ');
  }
  return false;
}

std::string_view without_spaces(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

}  // namespace

void split_at_tabs(std::string_view line, std::vector<std::string_view>& fields) {
  fields.clear();
  for (std::size_t tab = line.find('\t'); tab != std::string_view::npos; tab = line.find('\t')) {
    fields.push_back(line.substr(0, tab));
    line.remove_prefix(tab + 1);
  }
  fields.push_back(line);
}

std::int64_t parse_integer(std::string_view text, std::string_view what, std::int64_t low,
                           std::int64_t high) {
  constexpr std::size_t fits = 16;  // digits that cannot overflow
  std::uint64_t digits = 0;
  std::int64_t number = 0;
  bool whole = text.size() <= fits && parse_digits(text, digits);
  if (whole)
    number = static_cast<std::int64_t>(digits);
  else
    whole = parse_all(text, number);
  if (!whole || number < low || number > high)
    throw DataError(fmt::format("{} is {}; expected a whole number from {} to {}", what,
                                quote(text, most_quoted_field), low, high));
  return number;
}

std::uint64_t parse_id(std::string_view text, std::string_view what) {
  std::uint64_t number = 0;
  if (!parse_digits(text, number))
    throw DataError(
        fmt::format("{} is {}; expected a whole number", what, quote(text, most_quoted_field)));
  return number;
}

bool parse_ids(std::string_view& text, std::vector<std::uint64_t>& ids) {
  DigitReader at(text);
  for (std::uint64_t id = 0; at.next(id) && (at.at_end() || at.next_is('\t')); text = at.rest()) {
    ids.push_back(id);
    if (!at.skip('\t')) {
      text = {};
      return true;
    }
  }
  return false;
}

double parse_number(std::string_view text, std::string_view what, const Limits& limits) {
  double number = 0;
  if (!parse_all(text, number) || !std::isfinite(number) || !limits.contain(number)) {
    const std::string range = to_string(limits);
    throw DataError(fmt::format("{} is {}; expected {}", what, quote(text, most_quoted_field),
                                range == "any number" ? "a finite number" : "a number " + range));
  }
  return number;
}

bool is_missing_number(std::string_view text) {
  const auto is = [&](std::size_t at, char letter) { return (text[at] | ' ') == letter; };
  return text.empty() || (text.size() == 3 && is(0, 'n') && is(1, 'a') && is(2, 'n'));
}

void parse_integer_list(std::string_view text, std::string_view what, std::int64_t low,
                        std::int64_t high, std::vector<std::int64_t>& numbers) {
  numbers.clear();
  if (!text.starts_with('[') || !text.ends_with(']'))
    throw DataError(
        fmt::format("{} is {}; expected a list like [1, 2]", what, quote(text, most_quoted_field)));
  if (parse_plain_list(text.substr(1, text.size() - 2), low, high, numbers)) return;
  numbers.clear();
  text = without_spaces(text.substr(1, text.size() - 2));
  if (text.empty()) return;
  for (;;) {
    const std::size_t comma = text.find(',');
    numbers.push_back(parse_integer(without_spaces(text.substr(0, comma)), what, low, high));
    if (comma == std::string_view::npos) return;
    text.remove_prefix(comma + 1);
  }
}

void reject_or_skip(const std::filesystem::path& file, std::uint64_t line, const DataError& error,
                    const ReadRules& rules, ReadReport& report) {
  if (dynamic_cast<const LocatedError*>(&error) != nullptr) throw;
  const std::string message = fmt::format("{}:{}: {}", file.string(), line, error.what());
  if (!rules.skip_malformed) throw LocatedError(message);
  report.add({.malformed = 1, .first_malformed_line = line, .first_malformed = message});
}

ReadReport for_each_line(
    const std::filesystem::path& file, const ReadRules& rules,
    const std::function<void(std::string_view line, std::uint64_t number)>& read) {
  ReadReport report;
  LineReader lines(file);
  std::string_view line;
  std::uint64_t told = 0;
  const auto tell = [&] {
    const std::uint64_t bytes = lines.bytes_read();
    if (rules.progress && bytes > told) rules.progress(bytes - told);
    told = bytes;
  };
  while (lines.next(line)) {
    ++report.lines;
    tell();
    if (line.empty()) continue;
    try {
      read(line, lines.line_number());
    } catch (const DataError& error) {
      reject_or_skip(file, lines.line_number(), error, rules, report);
    }
  }
  return report;
}

void expect_lists(const std::filesystem::path& file, const ReadReport& report,
                  std::string_view expected) {
  if (report.lists > 0) return;
  std::string message = fmt::format("{}: has no list; expected {}", file.string(), expected);
  if (report.malformed > 0)
    message += fmt::format(" ({} of {} lines were left out; the first: {})", report.malformed,
                           report.lines, report.first_malformed);
  throw DataError(message);
}

bool needs_truncation(std::size_t last, const ReadRules& rules) {
  if (last <= rules.max_positions) return false;
  if (!rules.truncate)
    throw DataError(
        fmt::format("the list shows a document at position {}; expected at most "
                    "data.max_positions = {} (or data.long_lists: truncate)",
                    last, rules.max_positions));
  return true;
}

}  // namespace ultr
