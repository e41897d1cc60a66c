#pragma once

#include <optional>
#include <string>
#include <vector>

#include "metrics/seed_summary.h"
#include "studies/study_table.h"

namespace ultr {

/// A part of a claim with its numbers; that of a trend has one order between any two of them.
struct StudyComparison {
  ClaimPart part;
  std::string scope{};  // "sessions=1e6, tau=0"; may be empty
  std::vector<double> values{};
  bool held = false;
  std::optional<double> corrected_p{};  // of a test of significance; not corrected if negated
};

enum class ExpectationStatus { held, failed, not_run, unknown };

struct ExpectationResult {
  ExpectationStatus status = ExpectationStatus::held;
  std::vector<StudyComparison> comparisons;
  std::string note;  // what was not run, or is missing or not finite; may be empty
};

/// Evaluates all expectations of the study, in order. Tests of significance are two-sided paired
/// t-tests over seeds or the axes that they name. The p of those that must find a difference is
/// multiplied by their number in the study (Bonferroni). That of those that must not is left as it
/// is: a correction would make them easier to pass. Throws ConfigError for unknown names, open
/// axes, and, unless overrides narrow the study, values that are not run.
std::vector<ExpectationResult> evaluate_expectations(const StudyTable& table);

/// The numbers of an expression for each seed for which all that they need was run and has results.
struct NumbersBySeed {
  SeedValues single;                // those that are no lists
  std::vector<SeedValues> by_rank;  // those of lists, up to the end of the shortest
};

/// Evaluates an expression for each seed. Throws ConfigError, which starts with `where`, for
/// unknown names and open axes.
NumbersBySeed numbers_by_seed(const StudyExpression& expression, const StudyCoordinates& scope,
                              const StudyTable& table, const std::string& where);

}  // namespace ultr
