#include "report/table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "base/error.h"

namespace ultr {
namespace {

bool fits_any_column(std::string_view cell) {
  constexpr std::array<std::string_view, 8> words = {"",    "-",   "–",   "—",
                                                     "nan", "NaN", "inf", "-inf"};
  return std::ranges::count(words, cell) > 0;
}

/// True if a cell starts like a number and has no letters except the e of an exponent.
bool is_number(std::string_view cell) {
  for (const std::string_view sign : {"<", ">", " ", "-", "+", "−", "±", "."})
    if (cell.substr(0, sign.size()) == sign) cell.remove_prefix(sign.size());
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (cell.empty() || !is_digit(cell.front())) return false;
  for (std::size_t i = 0; i < cell.size(); ++i) {
    const char lower = static_cast<char>(cell[i] | 0x20);
    const bool exponent = lower == 'e' && is_digit(cell[i - 1]);
    if (lower >= 'a' && lower <= 'z' && !exponent) return false;
  }
  return true;
}

template <class Cell>
void move_entry(std::vector<Cell>& row, std::size_t from, std::size_t to) {
  Cell moved = std::move(row[from]);
  row.erase(row.begin() + static_cast<std::ptrdiff_t>(from));
  row.insert(row.begin() + static_cast<std::ptrdiff_t>(to), std::move(moved));
}

}  // namespace

ReportCell linked_cell(std::string text, std::string link) {
  ReportCell cell(std::move(text));
  cell.link = std::move(link);
  return cell;
}

ReportCell marked_cell(std::string text, Mark mark) {
  ReportCell cell(std::move(text));
  cell.mark = mark;
  return cell;
}

void move_column(ReportTable& table, std::size_t from, std::size_t to) {
  check_table(table);
  move_entry(table.header, from, to);
  for (auto& row : table.rows) move_entry(row, from, to);
}

std::string number_or_dash(double value) {
  return std::isfinite(value) ? fmt::format("{:.4f}", value) : "-";
}

void check_table(const ReportTable& table) {
  for (const auto& row : table.rows) {
    if (row.size() == table.header.size()) continue;
    throw Error(fmt::format("table '{}': a row has {} cells, the header has {}", table.caption,
                            row.size(), table.header.size()));
  }
}

bool is_numeric_column(const ReportTable& table, std::size_t column) {
  bool numbers = false;
  for (const auto& row : table.rows) {
    const bool number = is_number(row[column].text);
    if (!number && !fits_any_column(row[column].text)) return false;
    numbers |= number;
  }
  return numbers;
}

}  // namespace ultr
