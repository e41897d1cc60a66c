#include "data/fields_of_line.h"

#include <charconv>

#include <fmt/core.h>

#include "data/error.h"

namespace ultr {
namespace {

/// At most 40 characters of a text that a message quotes.
std::string quoted(std::string_view text) {
  constexpr std::size_t most = 40;
  return text.size() <= most ? fmt::format("'{}'", text)
                             : fmt::format("'{}...'", text.substr(0, most));
}

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
                                quoted(text), low, high));
  return number;
}

std::uint64_t parse_id(std::string_view text, std::string_view what) {
  std::uint64_t number = 0;
  if (!parse_all(text, number))
    throw DataError(fmt::format("{} is {}; expected a whole number", what, quoted(text)));
  return number;
}

void parse_integer_list(std::string_view text, std::string_view what, std::int64_t low,
                        std::int64_t high, std::vector<std::int64_t>& numbers) {
  numbers.clear();
  if (!text.starts_with('[') || !text.ends_with(']') || text.size() < 2)
    throw DataError(fmt::format("{} is {}; expected a list like [1, 2]", what, quoted(text)));
  text = without_spaces(text.substr(1, text.size() - 2));
  if (text.empty()) return;
  for (;;) {
    const std::size_t comma = text.find(',');
    numbers.push_back(parse_integer(without_spaces(text.substr(0, comma)), what, low, high));
    if (comma == std::string_view::npos) return;
    text.remove_prefix(comma + 1);
  }
}

ReadReport for_each_line(const std::filesystem::path& file, const ReadRules& rules,
                         const std::function<void(std::string_view line)>& read) {
  ReadReport report;
  LineReader lines(file);
  std::string_view line;
  while (lines.next(line)) {
    ++report.lines;
    if (line.empty()) continue;
    try {
      read(line);
    } catch (const DataError& error) {
      const std::string message = fmt::format("{}: {}", lines.where(), error.what());
      if (!rules.skip_malformed) throw DataError(message);
      if (report.malformed++ == 0) report.first_malformed = message;
    }
  }
  return report;
}

bool limit_length(RawList& list, const ReadRules& rules) {
  const std::size_t length = list.documents.size();
  if (length == 0 || list.positions.back() < rules.max_positions) return false;
  if (!rules.truncate)
    throw DataError(
        fmt::format("the list shows a document at position {}; expected at most "
                    "data.max_positions = {} (or data.long_lists: truncate)",
                    list.positions.back() + 1, rules.max_positions));
  std::size_t kept = length;
  while (kept > 0 && list.positions[kept - 1] >= rules.max_positions) --kept;
  list.documents.resize(kept);
  list.positions.resize(kept);
  list.clicks.resize(kept);
  if (!list.labels.empty()) list.labels.resize(kept);
  return true;
}

void ReadReport::add(const ReadReport& other) {
  if (malformed == 0) first_malformed = other.first_malformed;
  lines += other.lines;
  lists += other.lists;
  truncated += other.truncated;
  malformed += other.malformed;
}

}  // namespace ultr
