#include "data/text/csv_line.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include <fmt/core.h>

#include "base/error.h"
#include "base/quote.h"

namespace ultr {
namespace {

constexpr std::uint64_t in_each_byte(char character) {
  return 0x0101010101010101u * static_cast<unsigned char>(character);
}

/// Sets the highest bit of every byte that is zero, and clears all others.
constexpr std::uint64_t zero_bytes(std::uint64_t word) {
  constexpr std::uint64_t low_bits = in_each_byte(0x7f);
  return ~(((word & low_bits) + low_bits) | word | low_bits);
}

}  // namespace

bool CsvLine::take_plain(std::string_view& rest) {
  const char* field = rest.data();
  const char* at = field;
  const char* const end = field + rest.size();
  constexpr std::ptrdiff_t word = 8;
  const std::uint64_t delimiters = in_each_byte(delimiter_);
  const auto next_is_quoted = [&] { return field != end && *field == '"'; };
  const auto leave_quoted = [&] {
    rest = {field, static_cast<std::size_t>(end - field)};
    return false;
  };
  if (next_is_quoted()) return false;
  for (; end - at >= word; at += word) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, at, word);
    for (std::uint64_t found = zero_bytes(bytes ^ delimiters); found != 0; found &= found - 1) {
      const char* const delimiter = at + std::countr_zero(found) / 8;
      fields_.emplace_back(field, static_cast<std::size_t>(delimiter - field));
      field = delimiter + 1;
      if (next_is_quoted()) return leave_quoted();
    }
  }
  for (; at < end; ++at) {
    if (*at != delimiter_) continue;
    fields_.emplace_back(field, static_cast<std::size_t>(at - field));
    field = at + 1;
    if (next_is_quoted()) return leave_quoted();
  }
  fields_.emplace_back(field, static_cast<std::size_t>(end - field));
  return true;
}

bool CsvLine::take_quoted(std::string_view& rest, bool& last) {
  const std::size_t begin = unquoted_.size();
  rest.remove_prefix(1);
  for (;;) {
    const std::size_t quote = rest.find('"');
    if (quote == std::string_view::npos) return false;
    unquoted_ += rest.substr(0, quote);
    rest.remove_prefix(quote + 1);
    if (!rest.starts_with('"')) break;
    unquoted_ += '"';
    rest.remove_prefix(1);
  }
  fields_.push_back(std::string_view(unquoted_).substr(begin));
  last = rest.empty();
  if (last) return true;
  if (rest[0] != delimiter_)
    throw DataError(
        fmt::format("text after the quoted field {}; expected {}", fields_.size(),
                    delimiter_ == ',' ? "a comma" : quote(std::string_view(&delimiter_, 1))));
  rest.remove_prefix(1);
  return true;
}

bool CsvLine::try_split(std::string_view record) {
  fields_.clear();
  if (take_plain(record)) return true;
  unquoted_.clear();
  unquoted_.reserve(record.size());  // fields_ refers to it, so it must not be reallocated
  for (bool last = false; !last;) {
    if (!take_quoted(record, last)) return false;
    if (!last && take_plain(record)) return true;
  }
  return true;
}

void CsvLine::split(std::string_view record) {
  if (!try_split(record))
    throw DataError(fmt::format("the quote of field {} is not closed; expected '\"' at its end",
                                fields_.size() + 1));
}

std::string csv_field(std::string_view text) {
  const bool plain = text.find_first_of(",\"\n\r") == std::string_view::npos &&
                     !text.starts_with(' ') && !text.ends_with(' ');
  if (plain) return std::string(text);
  std::string field = "\"";
  for (const char c : text) field.append(c == '"' ? 2 : 1, c);
  return field + '"';
}

}  // namespace ultr
