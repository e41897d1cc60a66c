#include "studies/sweep_grid.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "base/text/quote.h"
#include "options/config_tree.h"

namespace ultr {
namespace {

constexpr std::size_t most_points = 10000;
constexpr std::size_t longest_folder = 200;  // file systems allow 255 bytes

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view spaces = " \t\r\n";
  const std::size_t begin = std::min(text.find_first_not_of(spaces), text.size());
  return text.substr(begin, text.find_last_not_of(spaces) + 1 - begin);
}

/// Where a value ends that starts at `begin`: at the next comma outside brackets and quotes. As in
/// YAML, a quote opens a string only where a value may start.
std::size_t end_of_value(std::string_view text, std::size_t begin) {
  int depth = 0;
  char quoted = 0;
  bool at_start = true;
  for (std::size_t i = begin; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted != 0) {
      if (c == '\\' && quoted == '"') ++i;
      if (c == quoted) quoted = 0;
      continue;
    }
    if ((c == '"' || c == '\'') && at_start) quoted = c;
    // Outside brackets a bracket within a word is a letter.
    if ((c == '[' || c == '{') && (at_start || depth > 0)) ++depth;
    if ((c == ']' || c == '}') && depth > 0) --depth;
    if (c == ',' && depth == 0) return i;
    if (c != ' ') at_start = c == '[' || c == '{' || (depth > 0 && (c == ',' || c == ':'));
  }
  return text.size();
}

/// "3..5" as 3 and 5.
struct WholeRange {
  std::int64_t first = 0, last = 0;
};

std::optional<WholeRange> whole_range(std::string_view text) {
  WholeRange range;
  const char* end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, range.first);
  if (first.ec != std::errc() || !std::string_view(first.ptr, end).starts_with(".."))
    return std::nullopt;
  const auto last = std::from_chars(first.ptr + 2, end, range.last);
  if (last.ec != std::errc() || last.ptr != end) return std::nullopt;
  return range;
}

}  // namespace

std::vector<std::string> sweep_values(std::string_view text, const std::string& where) {
  std::vector<std::string> values;
  for (std::size_t begin = 0;;) {
    const std::size_t end = end_of_value(text, begin);
    const bool only = begin == 0 && end == text.size();
    // An override that is no sweep is left as it is.
    const std::string_view value = only ? text : trimmed(text.substr(begin, end - begin));
    if (!only && value.empty())
      throw ConfigError(where +
                        ": a value between commas is empty; expected key=a,b,c (in quotes if the "
                        "comma belongs to the value)");
    if (const auto range = whole_range(value)) {
      const bool falls = range->last < range->first;
      const auto size = falls ? 0
                              : static_cast<std::uint64_t>(range->last) -
                                    static_cast<std::uint64_t>(range->first) + 1;
      if (falls || size > most_points || size == 0)
        throw ConfigError(
            fmt::format("{}: {} is no range; expected first..last, rising, with at most {} numbers",
                        where, value, most_points));
      for (std::int64_t number = range->first; number <= range->last; ++number)
        values.push_back(fmt::format("{}", number));
    } else {
      values.emplace_back(value);
    }
    if (end == text.size()) return values;
    begin = end + 1;
  }
}

std::string sweep_folder_name(std::string_view name) {
  std::string safe;
  for (const char c : name) {
    const bool kept = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      std::string_view("_.,=+-").find(c) != std::string_view::npos;
    const bool dropped = std::string_view("[]{}'\"").find(c) != std::string_view::npos;
    if (kept)
      safe += c;
    else if (dropped)
      continue;
    else if (!safe.ends_with('_'))
      safe += '_';
  }
  while (safe.ends_with('_')) safe.pop_back();
  if (safe.size() > longest_folder) safe.resize(longest_folder);
  return safe;
}

std::string unique_folder_name(std::string_view name, std::set<std::string>& used) {
  const std::string folder = sweep_folder_name(name);
  std::string unique = folder;
  for (int copy = 2; !used.insert(unique).second; ++copy)
    unique = fmt::format("{}-{}", folder, copy);
  return unique;
}

SweepAxis sweep_axis(const std::string& assignment) {
  const std::string where = "option " + quote(assignment);
  const std::size_t equals = assignment.find('=');
  if (equals == std::string::npos || equals == 0) throw ConfigError(where + ": expected key=value");
  return {assignment.substr(0, equals), sweep_values(assignment.substr(equals + 1), where)};
}

std::vector<SweepPoint> sweep_grid(const std::vector<std::string>& overrides) {
  std::vector<SweepAxis> axes;
  std::size_t size = 1;
  for (const std::string& assignment : overrides) {
    const SweepAxis& axis = axes.emplace_back(sweep_axis(assignment));
    if (axis.key == "output" && axis.values.size() > 1)
      throw ConfigError(
          fmt::format("option {}: output has several values; expected one, in which each run of a "
                      "sweep gets a folder",
                      quote(assignment)));
    size *= axis.values.size();
    if (size > most_points)
      throw ConfigError(fmt::format("option {}: makes {} runs; expected a sweep of at most {}",
                                    quote(assignment), size, most_points));
  }
  for (const SweepAxis& axis : axes)
    if (axis.values.size() > 1 && std::ranges::count(axes, axis.key, &SweepAxis::key) > 1)
      throw ConfigError(fmt::format(
          "option {} has several values and is given twice; expected all its values at one place",
          quote(axis.key)));

  std::vector<SweepPoint> grid(1);
  for (const SweepAxis& axis : axes) {
    std::vector<SweepPoint> finer;
    for (const SweepPoint& point : grid)
      for (const std::string& value : axis.values) {
        SweepPoint& added = finer.emplace_back(point);
        added.overrides.push_back(axis.key + "=" + value);
        if (axis.values.size() == 1) continue;
        added.name += (point.name.empty() ? "" : " ") + added.overrides.back();
        added.folder += (point.folder.empty() ? "" : ",") + added.overrides.back();
      }
    grid = std::move(finer);
  }
  std::set<std::string> folders;
  for (SweepPoint& point : grid) point.folder = unique_folder_name(point.folder, folders);
  return grid;
}

}  // namespace ultr
