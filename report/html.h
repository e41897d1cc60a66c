#pragma once

#include <string>
#include <variant>
#include <vector>

#include "report/arc_diagram.h"
#include "report/chart.h"
#include "report/dot_plot.h"
#include "report/small_multiples.h"
#include "report/table.h"

/// Reports as self-contained HTML files: no scripts, no external references.
namespace ultr {

struct ReportText {
  std::string text;        // paragraphs, separated by empty lines
  Mark mark = Mark::none;  // an icon before each paragraph
};

/// Charts as panels, row by row. Narrow screens show one panel per row, or two of three or more.
struct ReportFigure {
  std::vector<Chart> charts;
  int columns = 1;
  std::string caption{};
  std::string title{};  // above all panels
};

/// Returns a figure with a panel for each curve of a chart (panels_of_curves) below the chart's
/// title, or the chart as it is if it has only one curve.
ReportFigure figure_of_curves(const Chart& chart, const PanelLegend& legend,
                              std::string caption = {});

struct ReportArcDiagram {
  ArcDiagram diagram;
  std::string caption{};
};

struct ReportDotPlot {
  DotPlot plot;
  std::string caption{};
};

/// Preformatted text, such as a configuration, folded under its summary.
struct ReportDetails {
  std::string summary;
  std::string preformatted;
};

using ReportBlock = std::variant<ReportText, ReportFigure, ReportArcDiagram, ReportDotPlot,
                                 ReportTable, ReportDetails>;

struct ReportSection {
  std::string heading;
  std::vector<ReportBlock> blocks;
  Mark mark = Mark::none;  // an icon before the heading
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
