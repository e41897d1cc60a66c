#include "studies/study_evaluation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/quote.h"
#include "metrics/rank_correlation.h"

namespace ultr {
namespace {

/// Applies an operator or a function to numbers. Functions of a NaN are NaN.
double value_of(const std::string& name, const std::vector<double>& x) {
  if (name == "-") return x.size() == 1 ? -x[0] : x[0] - x[1];
  if (name == "+") return x[0] + x[1];
  if (name == "*") return x[0] * x[1];
  if (name == "/") return x[0] / x[1];
  if (name == "abs") return std::abs(x[0]);
  const double mean = mean_of(x);
  if (name == "mean" || std::isnan(mean)) return mean;
  return name == "min" ? *std::min_element(x.begin(), x.end())
                       : *std::max_element(x.begin(), x.end());
}

}  // namespace

StudyNumbers StudyEvaluator::numbers(const StudyExpression& e,
                                     const StudyCoordinates& scope) const {
  if (e.name.empty()) return {false, {e.number}};
  if (e.operands.empty()) return measure(e, scope);
  if (!e.conditions.empty()) return {false, {over_axis(e, scope)}};
  std::vector<StudyNumbers> operands;
  std::optional<std::size_t> shortest;
  for (const StudyExpression& operand : e.operands) {
    const auto& [list, values] = operands.emplace_back(numbers(operand, scope));
    if (list) shortest = std::min(shortest.value_or(values.size()), values.size());
  }
  StudyNumbers result{shortest.has_value(), {}};
  for (std::size_t rank = 0; rank < shortest.value_or(1); ++rank) {
    std::vector<double> x;
    for (const auto& [list, values] : operands) x.push_back(values[list ? rank : 0]);
    result.values.push_back(value_of(e.name, x));
  }
  return result;
}

ExpectationResult StudyEvaluator::evaluate(const StudyClaim& claim, std::size_t tests) const {
  ExpectationResult result;
  try {
    for (const StudyCoordinates& scope : scopes(claim.scope, {}))
      for (const ClaimPart& part : claim.parts) {  // all of them, to show all numbers
        result.comparisons.push_back(compare(part, scope, tests));
        if (!result.comparisons.back().held) result.status = ExpectationStatus::failed;
      }
  } catch (const NotRun& error) {
    const bool missing = dynamic_cast<const MissingNumber*>(&error) != nullptr;
    result.status = missing ? ExpectationStatus::unknown : ExpectationStatus::not_run;
    result.note = error.what();
  }
  return result;
}

/// Adds to a scope every combination of the values of axes that meet all conditions.
std::vector<StudyCoordinates> StudyEvaluator::scopes(const std::vector<AxisCondition>& conditions,
                                                     const StudyCoordinates& scope) const {
  std::vector<StudyCoordinates> scopes = {scope};
  std::set<std::string> seen;
  for (const auto& [axis, order, value] : conditions) {
    const std::vector<std::string> values = table_.values_along(axis, where_);
    const bool is_new = seen.insert(axis).second;
    std::vector<StudyCoordinates> met;
    for (const StudyCoordinates& outer : scopes)
      for (const std::string& inner : is_new ? values : std::vector{*value_on(axis, outer)})
        if (order.empty() || in_axis_order(inner, order, value))
          met.push_back(is_new ? with(outer, axis, inner) : outer);
    if (met.empty())
      throw NotRun(fmt::format("{}: no {} is {} {}; expected one of {}", where_, axis, order,
                               quote(value), fmt::join(values, ", ")));
    scopes = std::move(met);
  }
  return scopes;
}

StudyComparison StudyEvaluator::compare(const ClaimPart& part, const StudyCoordinates& scope,
                                        std::size_t tests) const {
  StudyComparison made{
      .claim = part.text, .scope = shown_scope(scope), .orders = part.orders, .held = true};
  const auto finite = [&](const StudyExpression& side, const StudyCoordinates& place) {
    const double value = number(side, place);
    if (!std::isfinite(value) && !table_.is_open())
      throw missing(side, place, std::isnan(value) ? "is not a number" : "is infinite");
    return std::isfinite(value) ? value : 1;
  };
  for (const StudyExpression& side : part.sides) made.values.push_back(finite(side, scope));
  if (!part.level) {
    for (std::size_t i = 0; i < part.orders.size(); ++i)
      made.held &= in_order(made.values[i], part.orders[i], made.values[i + 1]);
    return made;
  }
  std::array<SeedValues, 2> sides;
  for (const std::string& seed : table_.seeds())
    for (std::size_t s = 0; s < sides.size(); ++s)
      sides[s].emplace_back(seed, finite(part.sides[s], with(scope, seed_axis, seed)));
  const std::optional<SeedTest> test = test_seeds(sides[0], sides[1]);
  if (!test)
    throw NotRun(fmt::format("{}: {} has one seed; expected two at least", where_, part.text));
  made.corrected_p = test->corrected(tests);
  made.held =
      in_order(test->t_test.mean_difference, part.orders[0], 0) && *made.corrected_p < *part.level;
  return made;
}

double StudyEvaluator::number(const StudyExpression& e, const StudyCoordinates& scope) const {
  const auto [list, values] = numbers(e, scope);
  if (list)
    throw missing(e, scope, "is a list in the results; expected its name[rank], or max(rank: ...)");
  return values.front();
}

double StudyEvaluator::over_axis(const StudyExpression& e, const StudyCoordinates& scope) const {
  std::vector<double> x = along(e.conditions, e.operands[0], scope);
  if (e.operands.size() == 1) return value_of(e.name, x);
  std::vector<double> y = along(e.conditions, e.operands[1], scope);
  x.resize(std::min(x.size(), y.size()));
  y.resize(x.size());
  if (std::isnan(mean_of(x) + mean_of(y))) return std::numeric_limits<double>::quiet_NaN();
  return kendall_tau(x, y);
}

std::vector<double> StudyEvaluator::along(const std::vector<AxisCondition>& axes,
                                          const StudyExpression& e,
                                          const StudyCoordinates& scope) const {
  std::vector<double> found;
  if (axes.front().axis == rank_axis) {
    if (axes.size() > 1 || !axes.front().order.empty())
      throw ConfigError(where_ + ": found more than rank in front of ':'; expected rank alone");
    auto [list, values] = numbers(e, scope);
    if (!list && !table_.is_open()) throw missing(e, scope, "has no ranks in the results");
    return values;
  }
  for (const StudyCoordinates& place : scopes(axes, scope)) found.push_back(number(e, place));
  return found;
}

StudyNumbers StudyEvaluator::measure(const StudyExpression& e,
                                     const StudyCoordinates& scope) const {
  const auto [list, by_seed] = table_.find(e, scope, where_);
  double rank = 0;
  for (const auto& [axis, order, value] : e.conditions) {
    if (axis != rank_axis) continue;
    rank = axis_number(value);
    if (!(rank >= 1) || rank != std::floor(rank))
      throw ConfigError(fmt::format("{}: found rank {} in {}; expected a whole number from 1 on",
                                    where_, quote(value), e.text));
  }
  if (table_.is_open()) return {false, {1}};
  StudyNumbers means{list, {}};
  for (std::size_t r = 0;; ++r) {
    std::vector<double> x;
    for (const auto& [seed, values] : by_seed)
      if (r < values.size()) x.push_back(values[r]);
    if (x.size() < by_seed.size()) break;
    means.values.push_back(mean_of(x));
  }
  if (rank == 0) return means;
  if (!list) throw missing(e, scope, "is no list in the results");
  if (rank > static_cast<double>(means.values.size()))
    throw missing(e, scope, fmt::format("has only {} ranks in the results", means.values.size()));
  return {false, {means.values[static_cast<std::size_t>(rank) - 1]}};
}

MissingNumber StudyEvaluator::missing(const StudyExpression& e, const StudyCoordinates& scope,
                                      std::string_view what) const {
  return MissingNumber(fmt::format("{}: {} {}{}{}", where_, e.text, what,
                                   scope.empty() ? "" : " at ", shown_scope(scope)));
}

std::vector<ExpectationResult> evaluate_expectations(const Study& study, const StudyTable& table) {
  std::vector<ExpectationResult> results;
  std::size_t tests = 0;
  for (const bool corrected : {false, true}) {  // the first time counts the tests
    const std::size_t family = tests;
    results.clear();
    for (const auto& [claim, why, where] : study.expectations) {
      results.push_back(StudyEvaluator(table, where).evaluate(claim, family));
      const ExpectationResult& result = results.back();
      if (result.status == ExpectationStatus::not_run && !study.narrowed)
        throw ConfigError(result.note);
      for (const StudyComparison& made : result.comparisons)
        tests += made.corrected_p && !corrected ? 1 : 0;
    }
  }
  return results;
}

}  // namespace ultr
