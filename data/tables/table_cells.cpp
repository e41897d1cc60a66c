#include "data/tables/table_cells.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string>

#include <fmt/core.h>

#include "base/error.h"
#include "base/text/quote.h"
#include "base/text/short_texts.h"
#include "data/features/feature_lists.h"
#include "data/text/line_fields.h"

namespace ultr {
namespace {

[[noreturn]] void refuse(const TableColumn& column, std::string_view text,
                         std::string_view expected) {
  constexpr std::size_t most_quoted_cell = 40;
  throw DataError(
      fmt::format("{} is {}; expected {}", column.label, quote(text, most_quoted_cell), expected));
}

/// A number in a date and time, with the character before it.
struct DatePart {
  char before;
  std::size_t digits;
  std::uint64_t least, most;
};

constexpr std::array<DatePart, 6> date_parts{{{'\0', 4, 0, 9999},  // the year
                                              {'-', 2, 1, 12},
                                              {'-', 2, 1, 31},
                                              {'T', 2, 0, 23},
                                              {':', 2, 0, 59},
                                              {':', 2, 0, 60}}};  // a leap second is the 60th

/// Removes the character before a part. Returns false if it is another one.
bool take_before(const DatePart& part, std::string_view& text) {
  if (part.before == '\0') return true;
  if (text[0] != part.before && !(part.before == 'T' && text[0] == ' ')) return false;
  text.remove_prefix(1);
  return true;
}

/// Parses the fraction of a second, as in ".123". Returns whole microseconds.
std::optional<std::uint64_t> parse_fraction(std::string_view text) {
  constexpr std::size_t digits = 6;
  if (text.size() < 2 || text[0] != '.') return std::nullopt;
  std::uint64_t microseconds = 0;
  for (std::size_t i = 1; i < text.size() || i <= digits; ++i) {
    const char c = i < text.size() ? text[i] : '0';
    if (c < '0' || c > '9') return std::nullopt;
    if (i <= digits) microseconds = 10 * microseconds + static_cast<std::uint64_t>(c - '0');
  }
  return microseconds;
}

/// Parses a date and time, as parse_time says. Returns nothing if the text is none.
std::optional<std::uint64_t> parse_date(std::string_view text) {
  constexpr std::uint64_t microseconds = 1'000'000;
  if (text.ends_with('Z')) text.remove_suffix(1);
  if (text.empty()) return std::nullopt;
  std::uint64_t time = 0;
  for (const DatePart& part : date_parts) {
    std::uint64_t number = 0;  // that of a part which is missing
    if (!text.empty()) {
      if (!take_before(part, text) || text.size() < part.digits ||
          !parse_digits(text, part.digits, number) || number < part.least || number > part.most)
        return std::nullopt;
      text.remove_prefix(part.digits);
    }
    time = time * (part.most + 1) + number;
  }
  if (text.empty()) return time * microseconds;
  const std::optional<std::uint64_t> fraction = parse_fraction(text);
  if (!fraction) return std::nullopt;
  return time * microseconds + *fraction;
}

}  // namespace

std::string_view parse_name(std::string_view text, const TableColumn& column) {
  if (text.empty()) throw DataError(fmt::format("{} is empty; expected an id", column.label));
  return text;
}

std::uint8_t parse_click(std::string_view text, const TableColumn& column) {
  if (text.size() == 1 && (text[0] == '0' || text[0] == '1'))
    return static_cast<std::uint8_t>(text[0] - '0');
  for (const std::string_view no : {"false", "False", "FALSE"})
    if (text == no) return 0;
  for (const std::string_view yes : {"true", "True", "TRUE"})
    if (text == yes) return 1;
  refuse(column, text, "0 or 1");
}

std::uint16_t parse_signal(Signal signal, std::string_view text, const TableColumn& column) {
  if (signal != Signal::dwell) return parse_click(text, column);
  return text.empty() ? std::uint16_t{0} : dwell_of(parse_number(text, column.label, at_least(0)));
}

std::uint16_t parse_position(std::string_view text, const TableColumn& column,
                             std::uint16_t first) {
  return static_cast<std::uint16_t>(
      parse_integer(text, column.label, first, largest_table_position));
}

int parse_judgement(std::string_view text, const TableColumn& column) {
  const std::int64_t label = parse_integer(text, column.label, -2, largest_label);
  if (label == -1) refuse(column, text, "-2 (unjudged) or 0 to 31");
  return static_cast<int>(label);
}

float parse_propensity(std::string_view text, const TableColumn& column) {
  if (text.empty()) return std::numeric_limits<float>::quiet_NaN();
  return parse_propensity(text, column.label);
}

float parse_feature_or_missing(std::string_view text, const TableColumn& column, bool may_miss) {
  if (!is_missing_number(text)) return parse_feature(text, column);
  if (may_miss) return std::numeric_limits<float>::quiet_NaN();
  refuse(column, text, std::string("a finite number") + unless_missing);
}

float parse_feature(std::string_view text, const TableColumn& column) {
  constexpr double most = std::numeric_limits<float>::max();
  return static_cast<float>(std::clamp(parse_number(text, column.label), -most, most));
}

double parse_weight(std::string_view text, const TableColumn& column) {
  constexpr double most = 1e9;
  return parse_number(text, column.label, {.low = 0, .high = most, .low_open = true});
}

std::uint32_t parse_count(std::string_view text, const TableColumn& column, std::uint32_t least,
                          std::uint32_t most) {
  return static_cast<std::uint32_t>(parse_integer(text, column.label, least, most));
}

std::uint64_t parse_time(std::string_view text, const TableColumn& column) {
  constexpr std::size_t most_digits = 18;
  std::uint64_t number = 0;
  if (text.size() <= most_digits && parse_digits(text, text.size(), number)) return number;
  if (const std::optional<std::uint64_t> time = parse_date(text)) return *time;
  refuse(column, text, "a whole number of up to 18 digits or a time such as 2024-05-31T13:05:59");
}

}  // namespace ultr
