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

/// A chain of comparisons, or a test of significance.
struct ClaimPart {
  std::vector<StudyExpression> sides{};
  std::vector<std::string> orders{};  // between the sides
  std::optional<double> level{};      // of a test of significance
  std::string text{};
};

/// Comparisons that must all hold, for all values of the axes in its scope.
struct StudyClaim {
  std::vector<ClaimPart> parts;
  std::vector<AxisCondition> scope;  // outer axes first
  std::string text;
};

/// Parse a claim, or a number to draw. The message of the ConfigError for text outside the grammar,
/// or of more than 500 numbers, measures and parentheses, starts with `where`: file, line, column.
StudyClaim parse_claim(const std::string& text, const std::string& where);
StudyExpression parse_number(const std::string& text, const std::string& where);

}  // namespace ultr
