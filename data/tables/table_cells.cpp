#include "data/tables/table_cells.h"

#include <algorithm>
#include <limits>
#include <string>

#include <fmt/core.h>

#include "base/error.h"
#include "base/text/quote.h"
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
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (text.empty()) refuse(column, text, "a whole number or a time such as 2024-05-31T13:05:59");
  const bool number = std::all_of(text.begin(), text.end(), is_digit);
  std::string digits;
  constexpr std::string_view form = "dddd-dd-ddTdd:dd:dd.dddddd";
  if (!number) {
    std::string_view date = text;
    if (date.ends_with('Z')) date.remove_suffix(1);
    for (std::size_t i = 0; i < date.size(); ++i) {
      const char expected = i < form.size() ? form[i] : 'd';
      const bool fits = expected == 'd'   ? is_digit(date[i])
                        : expected == 'T' ? date[i] == 'T' || date[i] == ' '
                                          : date[i] == expected;
      if (!fits) refuse(column, text, "a whole number or a time such as 2024-05-31T13:05:59");
      if (is_digit(date[i])) digits += date[i];
    }
    digits.resize(most_digits, '0');
  } else {
    digits = text;
  }
  if (digits.empty() || digits.size() > most_digits)
    refuse(column, text, "a whole number of up to 18 digits or a time such as 2024-05-31T13:05:59");
  return parse_id(digits, column.label);
}

}  // namespace ultr
