#include "data/text/number_lists.h"

#include <algorithm>

#include <fmt/core.h>

#include "base/error.h"
#include "base/text/quote.h"
#include "base/text/short_texts.h"
#include "data/text/line_fields.h"
#include "data/text/number_block.h"

namespace ultr {
namespace {

constexpr std::size_t most_quoted_list = 40;  // characters of a list that a message quotes

/// Appends the numbers of the first fields of a text, up to a wrong one.
[[gnu::always_inline]] inline NumberBlock append_block(std::string_view text,
                                                       std::vector<std::int64_t>& numbers) {
  const std::size_t before = numbers.size();
  numbers.resize(before + NumberBlock::most);
  const NumberBlock block =
      parse_block(text, reinterpret_cast<std::uint64_t*>(numbers.data() + before));
  numbers.resize(before + block.good());
  return block;
}

/// Removes the fields of a block before the first wrong one from the front of a text. Returns false
/// if no field is left.
bool remove_good(const NumberBlock& block, std::string_view& text) {
  if (block.wrong == 0 && block.last) {
    text = {};
    return false;
  }
  text.remove_prefix(block.begin(block.good()));
  return true;
}

/// Parses a list of digits such as "1, 0, 1", of at most 64 bytes. Returns false for other texts.
bool parse_digit_list(std::string_view text, std::vector<std::int64_t>& numbers) {
  constexpr std::size_t period = 3;
  constexpr std::uint64_t each = 0x9249249249249249u;  // bits 0, 3, 6, ...
  if (text.size() > ByteBlock::bytes || text.size() % period != 1) return false;
  const ByteBlock block(text.data(), text.size());
  const std::uint64_t all = ~std::uint64_t{0} >> (ByteBlock::bytes - text.size());
  if (block.digits() != (each & all) || block.equal(',') != (each << 1 & all) ||
      block.equal(' ') != (each << 2 & all))
    return false;
  numbers.resize(text.size() / period + 1);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = text[i * period] - '0';
  return true;
}

/// Parses the numbers of a list such as "1, -2, 3", with at most one space before each. Returns
/// false, with some numbers appended, for most other texts and for a number of more than 18 digits.
bool parse_plain_list(std::string_view text, std::vector<std::int64_t>& numbers) {
  constexpr std::size_t most_digits = 18;
  for (;;) {
    const NumberBlock block = append_block(text, numbers);
    if (!remove_good(block, text)) return true;
    if (block.wrong == 0 && block.count > 0) continue;
    const std::size_t comma = std::min(text.find(','), text.size());
    std::size_t begin = text.starts_with(' ') ? 1 : 0;
    const bool negative = text.substr(begin).starts_with('-');
    begin += negative ? 1 : 0;
    std::uint64_t digits = 0;
    if (comma < begin || comma - begin > most_digits ||
        !parse_digits(text.substr(begin), comma - begin, digits))
      return false;
    const auto magnitude = static_cast<std::int64_t>(digits);
    numbers.push_back(negative ? -magnitude : magnitude);
    if (comma == text.size()) return true;
    text.remove_prefix(comma + 1);
  }
}

bool all_within(const std::vector<std::int64_t>& numbers, std::int64_t low, std::int64_t high) {
  bool outside = false;
  for (const std::int64_t number : numbers) outside |= number < low || number > high;
  return !outside;
}

std::string_view without_spaces(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

}  // namespace

void parse_integer_list(std::string_view text, std::string_view what, std::int64_t low,
                        std::int64_t high, std::vector<std::int64_t>& numbers) {
  numbers.clear();
  if (!text.starts_with('[') || !text.ends_with(']'))
    throw DataError(
        fmt::format("{} is {}; expected a list like [1, 2]", what, quote(text, most_quoted_list)));
  text = text.substr(1, text.size() - 2);
  if ((parse_digit_list(text, numbers) || parse_plain_list(text, numbers)) &&
      all_within(numbers, low, high))
    return;
  numbers.clear();
  text = without_spaces(text);
  if (text.empty()) return;
  for (;;) {
    const std::size_t comma = text.find(',');
    numbers.push_back(parse_integer(without_spaces(text.substr(0, comma)), what, low, high));
    if (comma == std::string_view::npos) return;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace ultr
