#pragma once

#include <string>
#include <variant>
#include <vector>

#include "report/arc_diagram.h"
#include "report/chart.h"
#include "report/dot_plot.h"

/// Reports as self-contained HTML files: no scripts, no external references.
namespace ultr {

struct ReportText {
  std::string text;  // paragraphs, separated by empty lines
};

/// Charts as panels, row by row. Narrow screens show one panel per row.
struct ReportFigure {
  std::vector<Chart> charts;
  int columns = 1;
  std::string caption{};
};

struct ReportArcDiagram {
  ArcDiagram diagram;
  std::string caption{};
};

struct ReportDotPlot {
  DotPlot plot;
  std::string caption{};
};

/// A table. Columns of numbers ("0.512", "−3.2%", "1.5e-3", "0.43 ± 0.01") are right-aligned; they
/// may also have cells that are empty, a dash, nan or inf.
struct ReportTable {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;  // each as long as the header
  std::string caption{};
};

/// Preformatted text, such as a configuration, folded under its summary.
struct ReportDetails {
  std::string summary;
  std::string preformatted;
};

/// Formats a number for a table: four decimals, or "-" if it is not finite.
std::string number_or_dash(double value);

/// Throws Error if a row is not as long as the header.
void check_table(const ReportTable& table);

/// True if a column has a number and no cells of other text; see ReportTable.
bool is_numeric_column(const ReportTable& table, std::size_t column);

/// Renders a table for a terminal: one line for the header and one per row. Columns are two spaces
/// apart and aligned as in the report. Lines have no trailing spaces; control characters become
/// spaces; the caption is left out. Throws Error if a row is not as long as the header.
std::string render_text_table(const ReportTable& table);

using ReportBlock = std::variant<ReportText, ReportFigure, ReportArcDiagram, ReportDotPlot,
                                 ReportTable, ReportDetails>;

struct ReportSection {
  std::string heading;
  std::vector<ReportBlock> blocks;
};

struct Report {
  std::string title;
  std::string summary;  // a line below the title, or empty
  std::vector<ReportSection> sections;
};

/// Renders the page as valid HTML5 that is also well-formed XML, for light and dark colour schemes,
/// phones and paper. All strings of the report are plain text, which is escaped. Throws Error if a
/// table row is not as long as the header, and for charts that their renderers refuse.
std::string render_report(const Report& report);

}  // namespace ultr
