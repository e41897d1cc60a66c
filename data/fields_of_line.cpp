#include "data/fields_of_line.h"

#include <charconv>
#include <cmath>

#include <fmt/core.h>

#include "data/error.h"
#include "options/quote.h"

namespace ultr {
namespace {

constexpr std::size_t most_quoted = 40;  // characters of a field that a message quotes

template <class Integer>
bool parse_all(std::string_view text, Integer& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

std::string_view without_spaces(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

}  // namespace

void split_at_tabs(std::string_view line, std::vector<std::string_view>& fields) {
  fields.clear();
  for (;;) {
    const std::size_t tab = line.find('\t');
    fields.push_back(line.substr(0, tab));
    if (tab == std::string_view::npos) return;
    line.remove_prefix(tab + 1);
  }
}

std::int64_t parse_integer(std::string_view text, std::string_view what, std::int64_t low,
                           std::int64_t high) {
  std::int64_t number = 0;
  if (!parse_all(text, number) || number < low || number > high)
    throw DataError(fmt::format("{} is {}; expected a whole number from {} to {}", what,
                                quote(text, most_quoted), low, high));
  return number;
}

std::uint64_t parse_id(std::string_view text, std::string_view what) {
  std::uint64_t number = 0;
  if (!parse_all(text, number))
    throw DataError(
        fmt::format("{} is {}; expected a whole number", what, quote(text, most_quoted)));
  return number;
}

double parse_number(std::string_view text, std::string_view what, const Limits& limits) {
  double number = 0;
  if (!parse_all(text, number) || !std::isfinite(number) || !limits.contain(number)) {
    const std::string range = to_string(limits);
    throw DataError(fmt::format("{} is {}; expected {}", what, quote(text, most_quoted),
                                range == "any number" ? "a finite number" : "a number " + range));
  }
  return number;
}

void parse_integer_list(std::string_view text, std::string_view what, std::int64_t low,
                        std::int64_t high, std::vector<std::int64_t>& numbers) {
  numbers.clear();
  if (!text.starts_with('[') || !text.ends_with(']'))
    throw DataError(
        fmt::format("{} is {}; expected a list like [1, 2]", what, quote(text, most_quoted)));
  text = without_spaces(text.substr(1, text.size() - 2));
  if (text.empty()) return;
  for (;;) {
    const std::size_t comma = text.find(',');
    numbers.push_back(parse_integer(without_spaces(text.substr(0, comma)), what, low, high));
    if (comma == std::string_view::npos) return;
    text.remove_prefix(comma + 1);
  }
}

void refuse_or_skip(const std::filesystem::path& file, std::uint64_t line, const DataError& error,
                    const ReadRules& rules, ReadReport& report) {
  const std::string message = fmt::format("{}:{}: {}", file.string(), line, error.what());
  if (!rules.skip_malformed) throw DataError(message);
  if (report.malformed++ == 0) report.first_malformed = message;
}

ReadReport for_each_line(
    const std::filesystem::path& file, const ReadRules& rules,
    const std::function<void(std::string_view line, std::uint64_t& number)>& read) {
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
    std::uint64_t number = lines.line_number();
    try {
      read(line, number);
    } catch (const DataError& error) {
      refuse_or_skip(file, number, error, rules, report);
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

bool must_cut(std::size_t last, const ReadRules& rules) {
  if (last <= rules.max_positions) return false;
  if (!rules.truncate)
    throw DataError(
        fmt::format("the list shows a document at position {}; expected at most "
                    "data.max_positions = {} (or data.long_lists: truncate)",
                    last, rules.max_positions));
  return true;
}

void add_notes(const std::filesystem::path& file, const ReadReport& report, const ReadRules& rules,
               std::vector<std::string>& notes) {
  if (report.truncated > 0)
    notes.push_back(fmt::format("{}: {} of {} lists were cut to {} positions", file.string(),
                                report.truncated, report.lists, rules.max_positions));
  if (report.malformed > 0) notes.push_back(malformed_note(file, report));
}

std::string malformed_note(const std::filesystem::path& file, const ReadReport& report) {
  return fmt::format("{}: {} of {} lines were left out; the first: {}", file.string(),
                     report.malformed, report.lines, report.first_malformed);
}

void ReadReport::add(const ReadReport& other) {
  if (malformed == 0) first_malformed = other.first_malformed;
  lines += other.lines;
  lists += other.lists;
  truncated += other.truncated;
  malformed += other.malformed;
}

}  // namespace ultr
