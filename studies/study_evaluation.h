#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "studies/study_references.h"
#include "studies/study_values.h"

/// What expressions of a study come to.
namespace ultr {

/// A comparison that was made.
struct StudyComparison {
  std::string claim;    // as it was written
  std::string scope{};  // "sessions=1e6, tau=0"; empty: none
  std::vector<double> values{};
  std::vector<std::string> orders{};  // between the values
  bool held = false;
  std::optional<double> corrected_p{};  // of a test of significance
};

enum class ExpectationStatus {
  held,
  failed,
  not_run,  // overrides left out what it is about
  unknown   // a number is missing, or is not finite
};

struct ExpectationResult {
  ExpectationStatus status = ExpectationStatus::held;
  std::vector<StudyComparison> comparisons;
  std::string note;  // what is missing; empty: nothing
};

/// "held", "failed", "not run", "unknown".
const char* to_string(ExpectationStatus status);

/// Evaluates the numbers that figures show.
class StudyEvaluator {
 public:
  StudyEvaluator(const Study& study, const StudyValues& values) : study_(study), values_(values) {}

  /// The number in this scope. A measure without a seed in scope is its mean over seeds. Throws
  /// ConfigError, with `where` in front, if a name is unknown, an axis is left open or a value was
  /// not run; Error if a number is missing in the results or not finite.
  double number(const StudyExpression& expression, const StudyScope& scope,
                const std::string& where) const;
  /// The number for each seed for which all that it needs was run and has results; the scope has no
  /// seed. Throws ConfigError if a name is unknown or an axis is left open.
  std::vector<std::pair<std::string, double>> by_seed(const StudyExpression& expression,
                                                      const StudyScope& scope,
                                                      const std::string& where) const;
  /// Entries of the lists in an expression: of the shortest of them. 0 if it has none, or was not
  /// run.
  std::size_t list_length(const StudyExpression& expression, const StudyScope& scope,
                          const std::string& where) const;

 private:
  const Study& study_;
  const StudyValues& values_;
};

/// All expectations of a study, in order. Tests of significance are two-sided paired t-tests over
/// seeds, whose p is multiplied by the number of such tests of the whole study (Bonferroni). Throws
/// as StudyEvaluator::number for unknown names.
std::vector<ExpectationResult> evaluate_expectations(const Study& study, const StudyValues& values);

}  // namespace ultr
