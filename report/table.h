#pragma once

#include <string>
#include <utility>
#include <vector>

#include "report/mark.h"

/// Tables of reports, for pages and for terminals.
namespace ultr {

/// A cell of a table: text, which on a page may be a link and have an icon before it. Texts convert
/// to cells.
struct ReportCell {
  ReportCell() = default;
  ReportCell(std::string cell_text) : text(std::move(cell_text)) {}
  ReportCell(const char* cell_text) : text(cell_text) {}

  std::string text;
  std::string link;  // an address relative to the page (see link_address); empty: no link
  Mark mark = Mark::none;

  bool operator==(const ReportCell&) const = default;
};

ReportCell linked_cell(std::string text, std::string link);
ReportCell marked_cell(std::string text, Mark mark);

/// A table. Columns of numbers ("0.512", "−3.2%", "1.5e-3", "0.43 ± 0.01", "12,000") are
/// right-aligned; they may also have cells that are empty, a dash, nan or inf.
struct ReportTable {
  std::vector<std::string> header;
  std::vector<std::vector<ReportCell>> rows;  // each as long as the header
  std::string caption{};
  std::string folded_under{};  // if not empty, the page folds the table under this summary
};

/// Moves a column to another place; those between move up.
void move_column(ReportTable& table, std::size_t from, std::size_t to);

/// Formats a number for a table: four decimals, or "-" if it is not finite.
std::string number_or_dash(double value);

/// Throws Error if a row is not as long as the header.
void check_table(const ReportTable& table);

/// True if a column has a number and no cells of other text; see ReportTable.
bool is_numeric_column(const ReportTable& table, std::size_t column);

/// Renders a table for a terminal: one line for the header and one per row. Columns are two spaces
/// apart and aligned as in the report. Lines have no trailing spaces; control characters become
/// spaces; caption, links and icons are left out. Throws Error if a row is not as long as the
/// header.
std::string render_text_table(const ReportTable& table);

/// Renders a table for a page, in a container that scrolls sideways and shows at its edges that
/// there is more. The first column stays in view if it is narrow. Rows with a cell marked `chosen`
/// are bold. Throws Error if a row is not as long as the header.
std::string render_table(const ReportTable& table);

}  // namespace ultr
