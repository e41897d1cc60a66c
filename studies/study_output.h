#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "studies/study_evaluation.h"
#include "studies/study_figures.h"

/// Writes the results of a study for people and for programs.
namespace ultr {

/// A finished study.
struct StudyOutcome : StudyTable {
  std::vector<ExpectationResult> expectations;     // one per expectation
  std::vector<StudyPicture> pictures;              // one per figure
  double seconds = 0;                              // of this call
  std::vector<std::vector<TunedOptions>> tuned{};  // options that were tuned, by stage
};

/// Returns the numbers of an expectation, failed comparisons first, on one line: "0.43 >= 0.42 at
/// tau=0; 2 more".
std::string shown_comparisons(const ExpectationResult& result);

/// Returns a table with one row per expectation for the terminal.
std::string expectations_text(const StudyOutcome& outcome);
/// Returns the verdict of an expectation as a text: "held", "failed", "not run" or "unknown".
const char* verdict(ExpectationStatus status);
/// Returns the expectations as rows of a Markdown table: study, paper, expectation, verdict,
/// numbers.
std::string expectations_markdown(const StudyOutcome& outcome);
/// Returns the options that were tuned as rows of a Markdown table: study, stage if there are
/// several, variant and place, options, result, number of candidates.
std::string tuning_markdown(const StudyOutcome& outcome);
/// Returns results.json: the points with all measures by seed, their means and 95% bootstrap
/// intervals, and the expectations with the numbers that they compared. Missing numbers are null.
std::string study_json(const StudyOutcome& outcome);
/// Returns report.html: expectations, figures, measures and runs, which link to their reports in
/// the study's folder.
Report study_report(const StudyOutcome& outcome, const std::string& study_text,
                    const std::filesystem::path& folder);

}  // namespace ultr
