#include "studies/comparison/axis_value.h"

#include <charconv>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ultr {

double axis_number(const std::string& value) {
  std::string_view text = value;
  if (text.starts_with('+')) text.remove_prefix(1);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole ? number : std::numeric_limits<double>::quiet_NaN();
}

bool same_axis_value(const std::string& a, const std::string& b) {
  return a == b || axis_number(a) == axis_number(b);
}

bool in_order(double a, const std::string& order, double b) {
  if (order == "<") return a < b;
  if (order == "<=") return a <= b;
  if (order == ">") return a > b;
  if (order == ">=") return a >= b;
  return (a == b) == (order == "=");
}

bool in_axis_order(const std::string& a, const std::string& order, const std::string& b) {
  if (order == "=" || order == "!=") return same_axis_value(a, b) == (order == "=");
  return in_order(axis_number(a), order, axis_number(b));
}

StudyCoordinates with(StudyCoordinates scope, const std::string& axis, const std::string& value) {
  scope.emplace_back(axis, value);
  return scope;
}

const std::string* value_on(const std::string& axis, const StudyCoordinates& scope) {
  for (std::size_t i = scope.size(); i-- > 0;)
    if (scope[i].first == axis) return &scope[i].second;
  return nullptr;
}

std::string shown_scope(const StudyCoordinates& scope) {
  std::vector<std::string> parts;
  for (const auto& [axis, value] : scope) parts.push_back(fmt::format("{}={}", axis, value));
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace ultr
