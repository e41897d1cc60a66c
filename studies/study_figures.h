#pragma once

#include <string>
#include <vector>

#include "report/html.h"
#include "studies/study_evaluation.h"

namespace ultr {

/// A figure of a study with its numbers.
struct StudyPicture {
  std::vector<ReportBlock> blocks;
  std::string svg;  // the picture as a file; empty for tables
};

/// Draws a figure.
///
/// Lines: a panel for each value of the axis `panels`, in it a line for each combination of the
/// values of the axes `lines`: means over seeds, with a band, the 95% bootstrap interval of the
/// mean, from two seeds on. References are dashed; of axes that lines vary they have the first
/// value. Dots and tables have a row where lines have a line, dots with interval and seeds, tables
/// with mean and standard deviation over seeds. Rows that differ from their baselines by a
/// two-sided paired t-test over seeds, corrected for all tests of the figure (Bonferroni), are
/// marked ▲ or ▼. Points without results are left out. Throws ConfigError for unknown names, open
/// axes, and a figure of which nothing was planned to run.
StudyPicture draw_figure(const StudyFigure& figure, const StudyTable& table);

}  // namespace ultr
