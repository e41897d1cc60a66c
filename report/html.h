#pragma once

#include <string>
#include <variant>
#include <vector>

#include "report/arc_diagram.h"
#include "report/chart.h"
#include "report/dot_plot.h"

/// Reports as one HTML file that needs nothing else: no scripts, no external references.
namespace ultr {

struct ReportText {
  std::string text;  // one paragraph; empty lines part paragraphs
};

/// Panels, row by row. On narrow screens each has a row of its own.
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

/// Columns of numbers ("0.512", "−3.2%", "1.5e-3", "0.43 ± 0.01"; cells that are empty, a dash or
/// nan belong to any) are right-aligned.
struct ReportTable {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;  // each as long as the header
  std::string caption{};
};

/// Text whose spaces and line ends matter, such as a configuration; folded under its summary.
struct ReportDetails {
  std::string summary;
  std::string preformatted;
};

/// A number for a table: four digits behind the point, "-" if it is not finite.
std::string number_or_dash(double value);

/// Throws Error if a row is not as long as the header.
void check_table(const ReportTable& table);

/// Whether a column of a table is one of numbers.
bool is_numeric_column(const ReportTable& table, std::size_t column);

using ReportBlock = std::variant<ReportText, ReportFigure, ReportArcDiagram, ReportDotPlot,
                                 ReportTable, ReportDetails>;

struct ReportSection {
  std::string heading;
  std::vector<ReportBlock> blocks;
};

struct Report {
  std::string title;
  std::string summary;  // a line below the title; may be empty
  std::vector<ReportSection> sections;
};

/// The page, valid HTML5 (and well-formed XML), for light and dark, phones and paper. All strings
/// are plain text. Throws Error if a table row is not as long as the header, and as render_panels.
std::string render_report(const Report& report);

}  // namespace ultr
