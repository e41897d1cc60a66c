#include "measurements/measurement_table.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include <fmt/format.h>

namespace ultr::bench {
namespace {

using Line = std::vector<std::string>;

/// Writes 1000000 as 10⁶, and a number that is not a power of ten as it is.
std::string power_of_ten(std::int64_t number) {
  static constexpr std::array digits = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::size_t exponent = 0;
  std::int64_t rest = number;
  while (rest % 10 == 0 && exponent + 1 < digits.size()) {
    rest /= 10;
    ++exponent;
  }
  return rest == 1 ? fmt::format("10{}", digits[exponent]) : std::to_string(number);
}

/// Writes three significant digits, or all digits before the decimal point if there are more.
std::string three_digits(double value) {
  return value >= 100 ? fmt::format("{:.0f}", value) : fmt::format("{:#.3g}", value);
}

std::string cell(const Measurement& measurement) {
  if (!measurement.value) return "-";
  std::string text = three_digits(*measurement.value);
  if (measurement.limit) text += fmt::format(" ({:.2f})", *measurement.limit / *measurement.value);
  return text;
}

std::string count_or_nothing(std::int64_t count) {
  return count == 0 ? std::string() : std::to_string(count);
}

/// Returns the columns to the left of the values.
Line heading(const Measurement& m) {
  return {m.what, m.unit, m.subject, count_or_nothing(m.batch), count_or_nothing(m.threads)};
}

/// Returns the number of characters rather than bytes.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string padded(const std::vector<Line>& lines) {
  std::vector<std::size_t> widths(lines.front().size());
  for (const Line& line : lines)
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], width(line[i]));
  std::string text;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    for (std::size_t c = 0; c < widths.size(); ++c)
      text += fmt::format("| {}{} ", lines[i][c], std::string(widths[c] - width(lines[i][c]), ' '));
    text += "|\n";
    if (i > 0) continue;
    for (const std::size_t w : widths) text += fmt::format("|{}", std::string(w + 2, '-'));
    text += "|\n";
  }
  return text;
}

}  // namespace

std::string markdown_table(std::span<const Measurement> measurements) {
  std::set<std::int64_t> rows;
  std::vector<std::string> kinds;
  std::vector<Line> headings;
  for (const Measurement& m : measurements) {
    rows.insert(m.rows);
    if (std::find(kinds.begin(), kinds.end(), m.what) == kinds.end()) kinds.push_back(m.what);
    if (const Line line = heading(m);
        std::find(headings.begin(), headings.end(), line) == headings.end())
      headings.push_back(line);
  }
  std::stable_sort(headings.begin(), headings.end(), [&](const Line& a, const Line& b) {
    const auto kind = [&](const Line& line) {
      return std::find(kinds.begin(), kinds.end(), line[0]);
    };
    return kind(a) < kind(b);
  });

  std::vector<Line> lines = {{"", "", "", "batch", "threads"}};
  for (const std::int64_t count : rows) lines.front().push_back(power_of_ten(count));
  for (Line line : headings) {
    const Line name = line;
    for (const std::int64_t count : rows) {
      const auto found =
          std::find_if(measurements.begin(), measurements.end(),
                       [&](const Measurement& m) { return m.rows == count && heading(m) == name; });
      line.push_back(found == measurements.end() ? "" : cell(*found));
    }
    lines.push_back(std::move(line));
  }
  return padded(lines);
}

std::string json_text(std::span<const Measurement> measurements) {
  nlohmann::ordered_json json = {{"processors", std::thread::hardware_concurrency()},
                                 {"measurements", nlohmann::ordered_json::array()}};
  for (const Measurement& m : measurements) {
    nlohmann::ordered_json entry = {{"what", m.what}, {"unit", m.unit}, {"subject", m.subject}};
    if (m.batch != 0) entry["batch"] = m.batch;
    if (m.threads != 0) entry["threads"] = m.threads;
    entry["rows"] = m.rows;
    entry["value"] = m.value ? nlohmann::ordered_json(*m.value) : nullptr;
    if (m.limit) entry["limit"] = *m.limit;
    json["measurements"].push_back(std::move(entry));
  }
  return json.dump(2) + "\n";
}

std::string line_of(const Measurement& m) {
  std::string text = fmt::format("{} {} {} rows", m.what, m.subject, power_of_ten(m.rows));
  if (m.batch != 0) text += fmt::format(", batch {}", m.batch);
  if (m.threads != 0) text += fmt::format(", {} thread{}", m.threads, m.threads == 1 ? "" : "s");
  return fmt::format("{}: {} {}", text, cell(m), m.unit);
}

}  // namespace ultr::bench
