#pragma once

#include <span>
#include <string>
#include <vector>

#include "studies/study_evaluation.h"
#include "studies/study_figures.h"

/// The results of a study to look at and to read by programs.
namespace ultr {

/// All that a study that was run knows.
struct StudyOutcome {
  const Study& study;
  std::span<const StudyPoint> points;
  std::span<const RunResults> runs;  // one for each point
  const StudyValues& values;
  std::vector<ExpectationResult> expectations;  // one for each of the study's
  std::vector<StudyPicture> pictures;           // one for each figure
  double seconds = 0;                           // that it took this time
};

/// The numbers that an expectation compared, the failed ones first, on one line: "0.43 >= 0.42 at
/// tau=0; 2 more".
std::string shown_comparisons(const ExpectationResult& result);

/// A table of the expectations for the terminal, a row each.
std::string expectations_text(const StudyOutcome& outcome);
/// The same as rows of a Markdown table: study, paper, expectation, verdict, numbers.
std::string expectations_markdown(const StudyOutcome& outcome);
/// results.json: the points with all measures by seed, their means and 95% bootstrap intervals, and
/// the expectations with the numbers that they compared. Numbers that there are none of are null.
std::string study_json(const StudyOutcome& outcome);
/// report.html: expectations, figures, measures and runs.
Report study_report(const StudyOutcome& outcome, const std::string& study_text);

}  // namespace ultr
