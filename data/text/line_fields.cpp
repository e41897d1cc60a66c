#include "data/text/line_fields.h"

#include <bit>
#include <charconv>
#include <cmath>

#include <fmt/core.h>

#include "base/error.h"
#include "base/text/quote.h"
#include "base/text/short_texts.h"
#include "data/text/byte_block.h"

namespace ultr {
namespace {

constexpr std::size_t most_quoted_field = 40;  // characters of a field that a message quotes

template <class Integer>
bool parse_all(std::string_view text, Integer& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

/// Calls read(lines) for each nonempty line.
template <class Read>
ReadReport read_lines(const std::filesystem::path& file, const ReadRules& rules, LineReader lines,
                      const Read& read) {
  ReadReport report;
  std::string_view line;
  std::uint64_t told = 0;
  while (lines.next(line)) {
    ++report.lines;
    if (const std::uint64_t bytes = lines.bytes_read(); rules.progress && bytes > told) {
      rules.progress(bytes - told);
      told = bytes;
    }
    if (line.empty()) continue;
    try {
      read(lines);
    } catch (const DataError& error) {
      reject_or_skip(file, lines.line_number(), error, rules, report);
    }
  }
  return report;
}

}  // namespace

void split_at_tabs(std::string_view line, std::vector<std::string_view>& fields) {
  fields.clear();
  std::size_t begin = 0;
  for (std::size_t first = 0; first < line.size(); first += ByteBlock::bytes) {
    std::uint64_t tabs = ByteBlock(line.data() + first, line.size() - first).equal('\t');
    for (; tabs != 0; tabs &= tabs - 1) {
      const std::size_t tab = first + static_cast<std::size_t>(std::countr_zero(tabs));
      fields.push_back(line.substr(begin, tab - begin));
      begin = tab + 1;
    }
  }
  fields.push_back(line.substr(begin));
}

std::int64_t parse_integer(std::string_view text, std::string_view what, std::int64_t low,
                           std::int64_t high) {
  constexpr std::size_t fits = 16;  // digits that cannot overflow
  std::uint64_t digits = 0;
  std::int64_t number = 0;
  bool whole = text.size() <= fits && parse_digits(text, text.size(), digits);
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
  if (!parse_digits(text, text.size(), number))
    throw DataError(
        fmt::format("{} is {}; expected a whole number", what, quote(text, most_quoted_field)));
  return number;
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

float parse_propensity(std::string_view text, std::string_view what) {
  const auto propensity =
      static_cast<float>(parse_number(text, what, {.low = 0, .high = 1, .low_open = true}));
  if (propensity == 0)
    throw DataError(fmt::format("{} is {}; expected a number that is above 0 in float32, too", what,
                                quote(text, most_quoted_field)));
  return propensity;
}

bool is_missing_number(std::string_view text) {
  const auto is = [&](std::size_t at, char letter) { return (text[at] | ' ') == letter; };
  return text.empty() || (text.size() == 3 && is(0, 'n') && is(1, 'a') && is(2, 'n'));
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
  return read_lines(file, rules, LineReader(file),
                    [&](LineReader& lines) { read(lines.fields().text(), lines.line_number()); });
}

ReadReport for_each_split_line(
    const std::filesystem::path& file, const ReadRules& rules,
    const std::function<void(SplitLine& line, std::uint64_t number)>& read) {
  LineReader reader(file, {.separators = "\t", .numbers = true});
  return read_lines(file, rules, std::move(reader),
                    [&](LineReader& lines) { read(lines.fields(), lines.line_number()); });
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
