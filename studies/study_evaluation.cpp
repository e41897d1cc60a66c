#include "studies/study_evaluation.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/quote.h"
#include "metrics/rank_correlation.h"
#include "metrics/significance.h"
#include "studies/study_references.h"

namespace ultr {
namespace {

using ExpressionKind = StudyExpression::Kind;

bool in_order(double a, const std::string& order, double b) {
  if (order == "<") return a < b;
  if (order == "<=") return a <= b;
  if (order == ">") return a > b;
  if (order == ">=") return a >= b;
  if (order == "=") return a == b;
  return a != b;
}

/// Whether a value of an axis meets a condition: in the order of numbers, or as a text.
bool meets(const std::string& value, const AxisCondition& condition) {
  if (condition.order.empty()) return true;
  if (condition.order == "=") return same_axis_value(value, condition.value);
  if (condition.order == "!=") return !same_axis_value(value, condition.value);
  return in_order(axis_number(value), condition.order, axis_number(condition.value));
}

std::string shown_scope(const StudyScope& scope) {
  std::vector<std::string> parts;
  for (const auto& [axis, value] : scope) parts.push_back(fmt::format("{}={}", axis, value));
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// Evaluates one expression of a study.
class Evaluation {
 public:
  Evaluation(const Study& study, const StudyValues& values, std::string where, std::size_t tests)
      : study_(study),
        values_(values),
        where_(std::move(where)),
        references_(study, values, where_),
        tests_(tests) {}

  bool claim(const StudyExpression& e, StudyScope& scope) {
    switch (e.kind) {
      case ExpressionKind::both: {
        bool all = true;  // every part is evaluated, for all numbers to be seen
        for (const StudyExpression& part : e.operands) all &= claim(part, scope);
        return all;
      }
      case ExpressionKind::contrary: {
        const std::size_t first = comparisons.size();
        const bool inner = claim(e.operands.front(), scope);
        for (std::size_t i = first; i < comparisons.size(); ++i) {
          comparisons[i].claim = "not " + comparisons[i].claim;
          comparisons[i].held = !comparisons[i].held;
        }
        return !inner;
      }
      case ExpressionKind::at: {
        const std::size_t before = scope.size();
        for (const AxisCondition& condition : e.conditions)
          scope.emplace_back(condition.axis,
                             references_.known_value(condition.axis, condition.value));
        const bool holds = claim(e.operands.front(), scope);
        scope.resize(before);
        return holds;
      }
      case ExpressionKind::for_all: {
        bool all = true;
        for_each(e.conditions, e, scope, [&] { all &= claim(e.operands.front(), scope); });
        return all;
      }
      case ExpressionKind::significant:
        return significant(e, scope);
      default:
        return compare(e, scope);
    }
  }

  double number(const StudyExpression& e, StudyScope& scope) {
    switch (e.kind) {
      case ExpressionKind::number:
        return e.number;
      case ExpressionKind::negate:
        return -number(e.operands[0], scope);
      case ExpressionKind::arithmetic: {
        const double a = number(e.operands[0], scope), b = number(e.operands[1], scope);
        return e.name == "+" ? a + b : e.name == "-" ? a - b : e.name == "*" ? a * b : a / b;
      }
      case ExpressionKind::call:
        return e.conditions.empty() ? call(e, scope) : call_over_axis(e, scope);
      default:
        return reference(e, scope);
    }
  }

  std::size_t list_length(const StudyExpression& e, StudyScope& scope) {
    std::size_t length = 0;
    if (e.kind == ExpressionKind::reference && e.operands.empty()) {
      const StudyCell& cell = references_.cell(e, scope);
      if (cell.list || values_.are_open())
        for (const auto& [seed, numbers] : cell.by_seed)
          length = length == 0 ? numbers.size() : std::min(length, numbers.size());
      return length;
    }
    for (const StudyExpression& operand : e.operands) {
      const std::size_t other = list_length(operand, scope);
      if (other > 0) length = length == 0 ? other : std::min(length, other);
    }
    return length;
  }

  std::vector<StudyComparison> comparisons;
  std::size_t tests_made = 0;

 private:
  // Claims --------------------------------------------------------------------------------------

  bool compare(const StudyExpression& e, StudyScope& scope) {
    StudyComparison made{
        .claim = e.text, .scope = shown_scope(scope), .values = {}, .orders = e.orders};
    for (const StudyExpression& side : e.operands) made.values.push_back(finite(side, scope));
    made.held = true;
    for (std::size_t i = 0; i < e.orders.size(); ++i)
      made.held &= in_order(made.values[i], e.orders[i], made.values[i + 1]);
    comparisons.push_back(made);
    return made.held;
  }

  bool significant(const StudyExpression& e, StudyScope& scope) {
    const StudyExpression& claimed = e.operands.front();
    std::vector<double> left, right;
    for (const std::string& seed : values_.seeds()) {
      scope.emplace_back(seed_axis, seed);
      left.push_back(finite(claimed.operands[0], scope));
      right.push_back(finite(claimed.operands[1], scope));
      scope.pop_back();
    }
    if (left.size() < 2) {
      const std::string what =
          fmt::format("{}: {} is tested over seeds, of which there is one; expected two at least",
                      where_, e.text);
      if (study_.narrowed) throw NotRun(what);
      throw ConfigError(what);
    }
    ++tests_made;
    const PairedTTest test = paired_t_test(left, right);
    StudyComparison made{
        .claim = e.text, .scope = shown_scope(scope), .values = {}, .orders = claimed.orders};
    made.values = {finite(claimed.operands[0], scope), finite(claimed.operands[1], scope)};
    made.corrected_p = bonferroni(test.p_value, std::max<std::size_t>(1, tests_));
    made.held =
        in_order(test.mean_difference, claimed.orders.front(), 0) && *made.corrected_p < e.number;
    comparisons.push_back(made);
    return made.held;
  }

  double finite(const StudyExpression& e, StudyScope& scope) {
    const double value = number(e, scope);
    if (!std::isfinite(value) && !values_.are_open())
      throw MissingNumber(fmt::format("{}: {} is {}{}", where_, e.text,
                                      std::isnan(value) ? "not a number" : "infinite",
                                      scope.empty() ? "" : " at " + shown_scope(scope)));
    return value;
  }

  // Functions -----------------------------------------------------------------------------------

  double call(const StudyExpression& e, StudyScope& scope) {
    std::vector<double> x;
    for (const StudyExpression& operand : e.operands) x.push_back(number(operand, scope));
    if (e.name == "abs") return std::abs(x[0]);
    if (e.name == "exp") return std::exp(x[0]);
    if (e.name == "log") return std::log(x[0]);
    if (e.name == "log10") return std::log10(x[0]);
    if (e.name == "sqrt") return std::sqrt(x[0]);
    return summary(e.name, x);
  }

  /// min, max or mean; NaN if one of the numbers is.
  static double summary(const std::string& name, const std::vector<double>& x) {
    double sum = 0;
    for (const double value : x) sum += value;
    if (std::isnan(sum)) return sum;
    if (name == "min") return *std::min_element(x.begin(), x.end());
    if (name == "max") return *std::max_element(x.begin(), x.end());
    return sum / static_cast<double>(x.size());
  }

  double call_over_axis(const StudyExpression& e, StudyScope& scope) {
    std::vector<double> x, y, places;
    for_each(e.conditions, e, scope, [&] {
      x.push_back(number(e.operands[0], scope));
      if (e.operands.size() > 1) y.push_back(number(e.operands[1], scope));
      places.push_back(axis_number(scope.back().second));
    });
    if (e.name == "kendall_tau") {
      const auto is_nan = [](double value) { return std::isnan(value); };
      if (std::any_of(x.begin(), x.end(), is_nan) || std::any_of(y.begin(), y.end(), is_nan))
        return std::numeric_limits<double>::quiet_NaN();
      return values_.are_open() ? 1 : kendall_tau(x, y);
    }
    if (e.name != "argmin" && e.name != "argmax") return summary(e.name, x);
    if (std::isnan(summary("mean", x))) return std::numeric_limits<double>::quiet_NaN();
    const auto best = e.name == "argmin" ? std::min_element(x.begin(), x.end())
                                         : std::max_element(x.begin(), x.end());
    return places[static_cast<std::size_t>(best - x.begin())];
  }

  /// Calls `visit` with every combination of the values that the conditions leave in scope.
  void for_each(const std::vector<AxisCondition>& conditions, const StudyExpression& e,
                StudyScope& scope, const std::function<void()>& visit) {
    std::vector<std::string> axes;
    for (const AxisCondition& condition : conditions)
      if (std::find(axes.begin(), axes.end(), condition.axis) == axes.end())
        axes.push_back(condition.axis);
    const std::function<void(std::size_t)> go_through = [&](std::size_t number) {
      if (number == axes.size()) {
        visit();
        return;
      }
      std::size_t met = 0;
      for (const std::string& value : values_along(axes[number], e, scope)) {
        const bool meets_all =
            std::all_of(conditions.begin(), conditions.end(), [&](const AxisCondition& condition) {
              return condition.axis != axes[number] || meets(value, condition);
            });
        if (!meets_all) continue;
        ++met;
        scope.emplace_back(axes[number], value);
        go_through(number + 1);
        scope.pop_back();
      }
      if (met == 0)
        throw NotRun(fmt::format("{}: {} leaves no value of {}; expected one at least", where_,
                                 e.text, axes[number]));
    };
    go_through(0);
  }

  std::vector<std::string> values_along(const std::string& axis, const StudyExpression& e,
                                        StudyScope& scope) {
    if (axis != rank_axis) return references_.values_along(axis);
    std::vector<std::string> ranks;
    for (std::size_t rank = 1; rank <= list_length(e, scope); ++rank)
      ranks.push_back(std::to_string(rank));
    if (ranks.empty())
      throw MissingNumber(fmt::format("{}: {} has no list with ranks", where_, e.text));
    return ranks;
  }

  // References -----------------------------------------------------------------------------------

  double reference(const StudyExpression& e, StudyScope& scope) {
    const StudyCell& cell = references_.cell(e, scope);
    std::size_t rank = 0;
    const std::string* in_scope = find_in_scope(scope, rank_axis);
    for (const AxisCondition& condition : e.conditions)
      if (condition.axis == rank_axis) in_scope = &condition.value;
    if (!e.operands.empty()) {
      rank = rank_from(number(e.operands.front(), scope), e);
      if (!cell.list && !values_.are_open())
        throw MissingNumber(fmt::format("{}: {} is no list in the results", where_, e.text));
    } else if (in_scope != nullptr && cell.list) {
      rank = rank_from(axis_number(*in_scope), e);
    } else if (cell.list) {
      throw MissingNumber(
          fmt::format("{}: {} is a list in the results; expected {}[rank], or it over "
                      "ranks",
                      where_, e.text, e.name));
    }
    return at_seed(cell, e, scope, values_.are_open() ? 1 : std::max<std::size_t>(rank, 1));
  }

  std::size_t rank_from(double index, const StudyExpression& e) const {
    if (values_.are_open()) return 1;
    if (!(index >= 1 && index <= 1e9) || index != std::floor(index))
      throw MissingNumber(fmt::format("{}: {}: {} is no rank; expected a whole number from 1 on",
                                      where_, e.text, index));
    return static_cast<std::size_t>(index);
  }

  /// The entry at a rank for the seed in scope, or else its mean over the seeds.
  double at_seed(const StudyCell& cell, const StudyExpression& e, const StudyScope& scope,
                 std::size_t rank) const {
    const std::string* seed = find_in_scope(scope, seed_axis);
    for (const AxisCondition& condition : e.conditions)
      if (condition.axis == seed_axis) seed = &condition.value;
    double sum = 0, count = 0;
    for (const auto& [of, numbers] : cell.by_seed) {
      if (seed != nullptr && !of.empty() && !same_axis_value(of, *seed)) continue;
      if (rank > numbers.size())
        throw MissingNumber(fmt::format("{}: {} has {} entries; expected one at rank {}", where_,
                                        e.text, numbers.size(), rank));
      sum += numbers[rank - 1];
      ++count;
    }
    if (count == 0)
      throw MissingNumber(fmt::format("{}: {} is not in the results ({}{}{})", where_, e.text,
                                      study_.find_measure(e.name)->path,
                                      scope.empty() ? "" : " at ", shown_scope(scope)));
    return sum / count;
  }

  const Study& study_;
  const StudyValues& values_;
  std::string where_;
  StudyReferences references_;
  std::size_t tests_;
};

ExpectationResult evaluate_one(const Study& study, const StudyValues& values,
                               const StudyExpectation& expectation, std::size_t tests,
                               std::size_t& tests_made) {
  Evaluation evaluation(study, values, expectation.where, tests);
  ExpectationResult result;
  try {
    StudyScope scope;
    result.status = evaluation.claim(expectation.claim, scope) ? ExpectationStatus::held
                                                               : ExpectationStatus::failed;
  } catch (const NotRun& error) {
    if (!study.narrowed) throw;
    result.status = ExpectationStatus::not_run;
    result.note = error.what();
  } catch (const MissingNumber& error) {
    result.status = ExpectationStatus::unknown;
    result.note = error.what();
  }
  tests_made += evaluation.tests_made;
  result.comparisons = std::move(evaluation.comparisons);
  return result;
}

}  // namespace

const char* to_string(ExpectationStatus status) {
  switch (status) {
    case ExpectationStatus::held:
      return "held";
    case ExpectationStatus::failed:
      return "failed";
    case ExpectationStatus::not_run:
      return "not run";
    default:
      return "unknown";
  }
}

double StudyEvaluator::number(const StudyExpression& expression, const StudyScope& scope,
                              const std::string& where) const {
  StudyScope inner = scope;
  return Evaluation(study_, values_, where, 1).number(expression, inner);
}

std::vector<std::pair<std::string, double>> StudyEvaluator::by_seed(
    const StudyExpression& expression, const StudyScope& scope, const std::string& where) const {
  std::vector<std::pair<std::string, double>> numbers;
  for (const std::string& seed : values_.seeds()) {
    StudyScope with_seed = scope;
    with_seed.emplace_back(seed_axis, seed);
    try {
      numbers.emplace_back(seed, number(expression, with_seed, where));
    } catch (const NotRun&) {
      continue;  // others have it
    } catch (const MissingNumber&) {
      continue;
    }
  }
  return numbers;
}

std::size_t StudyEvaluator::list_length(const StudyExpression& expression, const StudyScope& scope,
                                        const std::string& where) const {
  StudyScope inner = scope;
  try {
    return Evaluation(study_, values_, where, 1).list_length(expression, inner);
  } catch (const NotRun&) {
    return 0;
  }
}

std::vector<ExpectationResult> evaluate_expectations(const Study& study,
                                                     const StudyValues& values) {
  std::vector<ExpectationResult> results;
  std::size_t tests = 0;
  for (const bool corrected : {false, true}) {  // the first time counts the tests
    results.clear();
    std::size_t made = 0;
    for (const StudyExpectation& expectation : study.expectations)
      results.push_back(evaluate_one(study, values, expectation, corrected ? tests : 1, made));
    tests = made;
  }
  return results;
}

}  // namespace ultr
