#include "studies/study_references.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/quote.h"

namespace ultr {

const std::string* find_in_scope(const StudyScope& scope, std::string_view axis) {
  for (std::size_t i = scope.size(); i-- > 0;)
    if (scope[i].first == axis) return &scope[i].second;
  return nullptr;
}

const StudyCell& StudyReferences::cell(const StudyExpression& e, const StudyScope& scope) const {
  std::vector<std::string> measures;
  for (const StudyMeasure& measure : study_.measures) measures.push_back(measure.name);
  expect_known("measure", e.name, measures);
  const std::size_t v = variant_of(e, scope);
  const StudyVariant& variant = study_.grid.variants[v];
  expect_varied(e, variant);
  StudyCoordinates coordinates;
  for (const StudyAxis& axis : variant.axes)
    if (axis.name != seed_axis) coordinates.emplace_back(axis.name, value_on(axis, e, scope));
  const StudyCell* const cell = values_.find(v, coordinates, e.name);
  if (cell == nullptr) throw NotRun(fmt::format("{}: {} was not run", where_, e.text));
  return *cell;
}

std::string StudyReferences::known_value(const std::string& axis, const std::string& value) const {
  if (axis == rank_axis) return value;
  const std::vector<std::string> known = values_along(axis);
  for (const std::string& other : known)
    if (same_axis_value(other, value)) return other;
  throw NotRun(fmt::format("{}: {} has no value {}; expected one of {}", where_, axis, quote(value),
                           fmt::join(known, ", ")));
}

std::vector<std::string> StudyReferences::values_along(const std::string& axis) const {
  if (axis == seed_axis) return values_.seeds();
  expect_axis(axis);
  return study_.grid.values_of(axis);
}

void StudyReferences::expect_axis(const std::string& axis) const {
  std::vector<std::string> names = study_.grid.axis_names();
  for (const char* special : {variant_axis, seed_axis, rank_axis}) names.emplace_back(special);
  expect_known("axis", axis, names);
}

void StudyReferences::expect_known(const char* kind, const std::string& name,
                                   const std::vector<std::string>& names) const {
  if (std::find(names.begin(), names.end(), name) != names.end()) return;
  const std::string near = nearest_name(name, names);
  const std::string others = names.empty()
                                 ? "the study has none"
                                 : fmt::format("expected one of {}", fmt::join(names, ", "));
  throw ConfigError(fmt::format("{}: there is no {} {}; {}", where_, kind, quote(name),
                                near.empty() ? others : fmt::format("did you mean '{}'?", near)));
}

std::size_t StudyReferences::variant_of(const StudyExpression& e, const StudyScope& scope) const {
  const auto& variants = study_.grid.variants;
  const std::vector<std::string> names = study_.grid.variant_names();
  std::string name = e.variant;
  if (name.empty()) {
    for (const AxisCondition& condition : e.conditions)
      if (condition.axis == variant_axis) name = condition.value;
    if (const std::string* bound = find_in_scope(scope, variant_axis);
        name.empty() && bound != nullptr)
      name = *bound;
    if (name.empty() && variants.size() == 1) return 0;
    if (name.empty())
      throw ConfigError(
          fmt::format("{}: {} is of no variant; expected one of {} and a dot in "
                      "front",
                      where_, quote(e.text), fmt::join(names, ", ")));
  }
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end() && study_.narrowed)
    throw NotRun(fmt::format("{}: variant {} was not run", where_, quote(name)));
  expect_known("variant", name, names);
  return static_cast<std::size_t>(found - names.begin());
}

void StudyReferences::expect_varied(const StudyExpression& e, const StudyVariant& variant) const {
  for (const AxisCondition& condition : e.conditions) {
    expect_axis(condition.axis);
    const bool varied =
        condition.axis == variant_axis || condition.axis == seed_axis ||
        condition.axis == rank_axis ||
        std::any_of(variant.axes.begin(), variant.axes.end(),
                    [&](const StudyAxis& axis) { return axis.name == condition.axis; });
    if (!varied && !e.variant.empty())
      throw ConfigError(
          fmt::format("{}: variant {} does not vary {}; expected no value of it in {}", where_,
                      variant.name, condition.axis, e.text));
  }
}

std::string StudyReferences::value_on(const StudyAxis& axis, const StudyExpression& e,
                                      const StudyScope& scope) const {
  const std::string* wanted = find_in_scope(scope, axis.name);
  for (const AxisCondition& condition : e.conditions)
    if (condition.axis == axis.name) wanted = &condition.value;
  std::vector<std::string> names;
  for (const StudyAxisValue& value : axis.values) {
    if (wanted == nullptr ? axis.values.size() == 1 : same_axis_value(value.name, *wanted))
      return value.name;
    names.push_back(value.name);
  }
  if (wanted == nullptr)
    throw ConfigError(fmt::format("{}: {} leaves {} open; expected a value of it, one of {}",
                                  where_, quote(e.text), axis.name, fmt::join(names, ", ")));
  throw NotRun(fmt::format("{}: {} was not run with {}={}; expected one of {}", where_,
                           quote(e.text), axis.name, *wanted, fmt::join(names, ", ")));
}

}  // namespace ultr
