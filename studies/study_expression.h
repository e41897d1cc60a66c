#pragma once

#include <optional>
#include <string>
#include <vector>

#include "options/config_tree.h"

/// Parses the language in which a study states what must come out and what its figures draw.
/// docs/studies.md has its grammar.
namespace ultr {

/// A condition on an axis, such as `tau > 0`; without an order, any value meets it.
struct AxisCondition {
  std::string axis, order, value;
};

/// A constant, a measure (`name`), or a function or one of + - * / with operands.
struct StudyExpression {
  std::string name{};  // empty: a constant
  double number = 0;   // the constant
  /// For a measure, its coordinates: pbm.x[3] has variant=pbm and rank=3. For a function, the axis
  /// values that it goes over.
  std::vector<AxisCondition> conditions{};
  std::vector<StudyExpression> operands{};
  std::string text{};  // as written
};

/// A chain of comparisons, a test of significance, or a trend along an axis.
struct ClaimPart {
  std::vector<StudyExpression> sides{};  // of a trend: the one number that rises or falls
  std::vector<std::string> orders{};     // between the sides; of a trend: < if it rises, > if not
  std::optional<double> level{};         // of a test of significance
  bool negated = false;                  // a difference that must not be significant
  std::vector<AxisCondition> along{};    // of a trend: conditions on its axis
  std::vector<AxisCondition> pairs{};    // the axes that a test pairs over; none: seed
  std::string text{};

  bool is_trend() const { return !along.empty(); }
};

/// Parts that must all hold together: for all values of the axes in its scope, or for most.
struct StudyClaim {
  std::vector<ClaimPart> parts;
  std::vector<AxisCondition> scope;  // outer axes first
  bool most = false;                 // more than half of the combinations of values are enough
  std::string text;
};

/// Parse a claim, or a number to draw. The message of the ConfigError for text outside the grammar,
/// or of more than 500 numbers, measures and parentheses, starts with `where`: file, line, column.
StudyClaim parse_claim(const std::string& text, const std::string& where);
StudyExpression parse_number(const std::string& text, const std::string& where);

}  // namespace ultr
