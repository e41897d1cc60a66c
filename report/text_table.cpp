#include <algorithm>

#include "report/table.h"

namespace ultr {
namespace {

/// Returns the number of characters of UTF-8 text.
std::size_t length(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) >> 6) != 2; }));
}

}  // namespace

std::string render_text_table(const ReportTable& table) {
  check_table(table);
  std::vector<std::size_t> widths;
  std::vector<bool> right;
  for (std::size_t column = 0; column < table.header.size(); ++column) {
    widths.push_back(length(table.header[column]));
    for (const auto& row : table.rows)
      widths[column] = std::max(widths[column], length(row[column].text));
    right.push_back(is_numeric_column(table, column));
  }
  std::string text;
  const auto add_line = [&](const std::vector<ReportCell>& cells) {
    std::string line;
    for (std::size_t column = 0; column < cells.size(); ++column) {
      const std::string& cell = cells[column].text;
      const std::string space(widths[column] - length(cell), ' ');
      if (column > 0) line += "  ";
      line += right[column] ? space + cell : cell + space;
    }
    std::replace_if(
        line.begin(), line.end(), [](char c) { return (c >= 0 && c < ' ') || c == 0x7f; }, ' ');
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  };
  add_line({table.header.begin(), table.header.end()});
  for (const auto& row : table.rows) add_line(row);
  return text;
}

}  // namespace ultr
