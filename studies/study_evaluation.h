#pragma once

#include <optional>
#include <string>
#include <vector>

#include "metrics/seed_summary.h"
#include "studies/study_table.h"

namespace ultr {

/// A comparison with its numbers.
struct StudyComparison {
  std::string claim;    // as written
  std::string scope{};  // "sessions=1e6, tau=0"; may be empty
  std::vector<double> values{};
  std::vector<std::string> orders{};  // between the values
  bool held = false;
  std::optional<double> corrected_p{};  // of a test of significance
};

enum class ExpectationStatus { held, failed, not_run, unknown };

struct ExpectationResult {
  ExpectationStatus status = ExpectationStatus::held;
  std::vector<StudyComparison> comparisons;
  std::string note;  // what was not run, or is missing or not finite; may be empty
};

/// A number, or a list with one number per rank.
struct StudyNumbers {
  bool list = false;
  std::vector<double> values;
};

/// Evaluates the expressions of a study. Throws as StudyTable::find, and MissingNumber.
class StudyEvaluator {
 public:
  StudyEvaluator(const StudyTable& table, const std::string& where)
      : table_(table), where_(where) {}

  /// Returns the numbers of an expression in scope: without a seed there, means over seeds.
  /// Operators and functions work on lists rank by rank, up to the end of the shortest.
  StudyNumbers numbers(const StudyExpression& expression, const StudyCoordinates& scope) const;
  /// Evaluates a claim, of a study with so many tests of significance.
  ExpectationResult evaluate(const StudyClaim& claim, std::size_t tests) const;

 private:
  std::vector<StudyCoordinates> scopes(const std::vector<AxisCondition>& conditions,
                                       const StudyCoordinates& scope) const;
  StudyComparison compare(const ClaimPart& part, const StudyCoordinates& scope,
                          std::size_t tests) const;
  double number(const StudyExpression& e, const StudyCoordinates& scope) const;
  double over_axis(const StudyExpression& e, const StudyCoordinates& scope) const;
  std::vector<double> along(const std::vector<AxisCondition>& axes, const StudyExpression& e,
                            const StudyCoordinates& scope) const;
  StudyNumbers measure(const StudyExpression& e, const StudyCoordinates& scope) const;
  MissingNumber missing(const StudyExpression& e, const StudyCoordinates& scope,
                        std::string_view what) const;

  const StudyTable& table_;
  std::string where_;
};

/// Evaluates all expectations of a study, in order. Tests of significance are two-sided paired
/// t-tests over seeds, whose p is multiplied by the number of such tests in the study (Bonferroni).
/// Throws ConfigError for unknown names, open axes, and, unless overrides narrow the study, values
/// that are not run.
std::vector<ExpectationResult> evaluate_expectations(const Study& study, const StudyTable& table);

}  // namespace ultr
