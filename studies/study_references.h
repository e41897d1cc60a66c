#pragma once

#include <string>
#include <utility>
#include <vector>

#include "studies/study_values.h"

/// What names in the expressions of a study stand for.
namespace ultr {

/// Values of axes, also of variant, seed and rank, that hold where an expression stands; later ones
/// hide earlier ones.
using StudyScope = std::vector<std::pair<std::string, std::string>>;

/// The value of an axis in scope; null if it has none.
const std::string* find_in_scope(const StudyScope& scope, std::string_view axis);

/// A value of an axis, or a variant, that the study has no run of.
class NotRun : public ConfigError {
 public:
  using ConfigError::ConfigError;
};

/// A number that the runs should have left but did not.
class MissingNumber : public Error {
 public:
  using Error::Error;
};

/// Looks names up in a study; messages start with `where`. All throw ConfigError for unknown names,
/// with the nearest one, and NotRun. What it is made of must outlive it.
class StudyReferences {
 public:
  StudyReferences(const Study& study, const StudyValues& values, const std::string& where)
      : study_(study), values_(values), where_(where) {}

  /// What a reference means in a scope, before a seed and an entry of a list are chosen. Axes have
  /// their value in its parentheses, else in scope, else the only one that the variant has. Throws
  /// ConfigError too if an axis or the variant is left open.
  const StudyCell& cell(const StudyExpression& reference, const StudyScope& scope) const;
  /// The value of an axis as the grid has it, however its number was written.
  std::string known_value(const std::string& axis, const std::string& value) const;
  /// All values of an axis, of variants or of seeds.
  std::vector<std::string> values_along(const std::string& axis) const;

 private:
  void expect_axis(const std::string& axis) const;
  void expect_known(const char* kind, const std::string& name,
                    const std::vector<std::string>& names) const;
  std::size_t variant_of(const StudyExpression& e, const StudyScope& scope) const;
  void expect_varied(const StudyExpression& e, const StudyVariant& variant) const;
  std::string value_on(const StudyAxis& axis, const StudyExpression& e,
                       const StudyScope& scope) const;

  const Study& study_;
  const StudyValues& values_;
  const std::string& where_;
};

}  // namespace ultr
