#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runs/test_queries.h"
#include "studies/study_table.h"

namespace ultr {

/// A value of an axis, or a variant, of which the study has no run.
struct NotRun : ConfigError {
  using ConfigError::ConfigError;
};
/// A number that is missing in the results of a run.
struct MissingNumber : NotRun {
  using NotRun::NotRun;
};

/// A number, or a list with one number per rank or per test query.
struct Numbers {
  bool list = false;
  std::vector<double> values;
};

/// Evaluates the expressions of one place in a study, `where`, with which errors start. `table` and
/// `where` must outlive it.
class StudyEvaluator {
 public:
  StudyEvaluator(const StudyTable& table, const std::string& where)
      : table_(table), where_(where) {}

  /// Returns the numbers of an expression in scope: without a seed there, means over seeds.
  /// Operators and functions work on lists rank by rank, up to the end of the shortest.
  Numbers numbers(const StudyExpression& e, const StudyCoordinates& scope) const;
  /// Returns a finite number. Throws MissingNumber if the results have none, or a list.
  double finite(const StudyExpression& e, const StudyCoordinates& scope) const {
    return finite(number(e, scope), e, scope);
  }
  /// Returns the value of an expression if it is finite. Before anything ran, takes 1 in place of
  /// others.
  double finite(double value, const StudyExpression& e, const StudyCoordinates& scope) const;
  /// Returns the numbers along axes, or along ranks. `ascending`: in the order of an axis' numbers,
  /// not as they are listed.
  std::vector<double> along(const std::vector<AxisCondition>& axes, const StudyExpression& e,
                            const StudyCoordinates& scope, bool ascending = false) const;
  /// Returns the numbers of several expressions as lists with one entry per test query, or single
  /// numbers if they do not depend on queries. Measures are means over seeds, NaN where a query
  /// does not count. Throws MissingNumber unless all of them are of the same queries.
  std::vector<Numbers> by_query(const std::vector<StudyExpression>& expressions,
                                const StudyCoordinates& scope) const;
  /// Adds to a scope every combination of the values of axes that meet all conditions.
  std::vector<StudyCoordinates> scopes(const std::vector<AxisCondition>& conditions,
                                       const StudyCoordinates& scope) const;

 private:
  /// The queries that all measures must have: those of the first measure that was read.
  using TestQueries = std::optional<MeanQueryValues>;

  /// Returns all values of an axis, of variants or of seeds.
  std::vector<std::string> values_along(const std::string& axis) const;
  double number(const StudyExpression& e, const StudyCoordinates& scope) const;
  /// Applies a function to the values of its operands along axes, or along ranks.
  Numbers over_axis(const StudyExpression& e, const StudyCoordinates& scope) const;
  /// Evaluates `chosen` of docs/studies.md, with its first two operands along its axes.
  double chosen(const StudyExpression& e, const StudyCoordinates& scope,
                std::vector<double> criteria, std::vector<double> outcomes) const;
  Numbers measure(const StudyExpression& e, const StudyCoordinates& scope) const;
  Numbers measure_by_query(const StudyExpression& e, const StudyCoordinates& scope) const;
  /// Returns the points of the runs in scope of the measure that an expression names.
  std::vector<std::size_t> points(const StudyExpression& e, const StudyCoordinates& outer) const;
  /// Returns the measure that an expression names, of the runs in scope.
  StudyCell cell(const StudyExpression& e, const StudyCoordinates& scope) const;
  MissingNumber missing(const StudyExpression& e, const StudyCoordinates& scope,
                        std::string_view what, std::string_view end = "") const;

  const StudyTable& table_;
  const std::string& where_;
  TestQueries* queries_ = nullptr;  // of lists by query; null: numbers are not
};

}  // namespace ultr
