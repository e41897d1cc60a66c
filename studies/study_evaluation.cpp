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
#include "studies/study_nodes.h"

namespace ultr {
namespace {

/// A value of an axis, or a variant, of which the study has no run.
struct NotRun : ConfigError {
  using ConfigError::ConfigError;
};
/// A number that is missing in the results of a run.
struct MissingNumber : NotRun {
  using NotRun::NotRun;
};

/// A number, or a list with one number per rank.
struct Numbers {
  bool list = false;
  std::vector<double> values;
};

/// Applies an operator or a function to numbers. Functions of a NaN are NaN.
double value_of(const std::string& name, const std::vector<double>& x) {
  if (name == "-") return x.size() == 1 ? -x[0] : x[0] - x[1];
  if (name == "+") return x[0] + x[1];
  if (name == "*") return x[0] * x[1];
  if (name == "/") return x[0] / x[1];
  if (name == "abs") return std::abs(x[0]);
  const double mean = mean_of(x);
  if (name == "mean" || std::isnan(mean)) return mean;
  return name == "min" ? std::ranges::min(x) : std::ranges::max(x);
}

/// Evaluates the expressions of one place in a study, `where`, with which errors start.
class Evaluator {
 public:
  Evaluator(const StudyTable& table, const std::string& where) : table_(table), where_(where) {}

  /// Returns the numbers of an expression in scope: without a seed there, means over seeds.
  /// Operators and functions work on lists rank by rank, up to the end of the shortest.
  Numbers numbers(const StudyExpression& e, const StudyCoordinates& scope) const {
    if (e.name.empty()) return {false, {e.number}};
    if (e.operands.empty()) return measure(e, scope);
    if (!e.conditions.empty()) return {false, {over_axis(e, scope)}};
    std::vector<Numbers> operands;
    std::optional<std::size_t> shortest;
    for (const StudyExpression& operand : e.operands) {
      const auto& [list, values] = operands.emplace_back(numbers(operand, scope));
      if (list) shortest = std::min(shortest.value_or(values.size()), values.size());
    }
    Numbers result{shortest.has_value(), {}};
    for (std::size_t rank = 0; rank < shortest.value_or(1); ++rank) {
      std::vector<double> x;
      for (const auto& [list, values] : operands) x.push_back(values[list ? rank : 0]);
      result.values.push_back(value_of(e.name, x));
    }
    return result;
  }

  /// Adds to a scope every combination of the values of axes that meet all conditions.
  std::vector<StudyCoordinates> scopes(const std::vector<AxisCondition>& conditions,
                                       const StudyCoordinates& scope) const {
    std::vector<StudyCoordinates> scopes = {scope};
    std::set<std::string> seen;
    for (const auto& [axis, order, value] : conditions) {
      const std::vector<std::string> values = values_along(axis);
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

  /// Compares the sides of a part. The p of a test is not corrected yet, and `held` of a test says
  /// only whether the difference has the right sign.
  StudyComparison compare(const ClaimPart& part, const StudyCoordinates& scope) const {
    if (part.is_trend()) return compare_along(part, scope);
    StudyComparison made{.part = part, .scope = shown_scope(scope), .held = true};
    for (const StudyExpression& side : part.sides)
      made.values.push_back(finite(number(side, scope), side, scope));
    for (std::size_t i = 0; i < part.orders.size(); ++i)
      made.held &= in_order(made.values[i], part.orders[i], made.values[i + 1]);
    if (!part.level) return made;
    std::array<SeedValues, 2> sides;
    for (const std::string& seed : table_.study.seeds)
      for (std::size_t s = 0; s < sides.size(); ++s) {
        const StudyCoordinates place = with(scope, seed_axis, seed);
        sides[s].emplace_back(seed, finite(number(part.sides[s], place), part.sides[s], place));
      }
    const std::optional<SeedTest> test = test_seeds(sides[0], sides[1]);
    if (!test)
      throw NotRun(fmt::format("{}: {} has one seed; expected two at least", where_, part.text));
    made.corrected_p = test->t_test.p_value;
    made.held = in_order(test->t_test.mean_difference, part.orders[0], 0);
    return made;
  }

 private:
  /// Compares the numbers along the axis of a trend, each with the next.
  StudyComparison compare_along(const ClaimPart& part, const StudyCoordinates& scope) const {
    const StudyExpression& side = part.sides.front();
    StudyComparison made{.part = part, .scope = shown_scope(scope), .held = true};
    for (const double value : along(part.along, side, scope, true))
      made.values.push_back(finite(value, side, scope));
    if (made.values.size() < 2 && !table_.is_open())
      throw NotRun(fmt::format("{}: {} has {} values along {}; expected two at least", where_,
                               part.text, made.values.size(), part.along.front().axis));
    made.part.orders.assign(made.values.size() - 1, part.orders.front());
    for (std::size_t i = 0; i < made.part.orders.size(); ++i)
      made.held &= in_order(made.values[i], made.part.orders[i], made.values[i + 1]);
    return made;
  }

  /// Returns the value if it is finite. Before anything ran, takes 1 in place of others.
  double finite(double value, const StudyExpression& of, const StudyCoordinates& scope) const {
    if (!std::isfinite(value) && !table_.is_open())
      throw missing(of, scope, std::isnan(value) ? "is not a number" : "is infinite");
    return std::isfinite(value) ? value : 1;
  }

  /// Returns all values of an axis, of variants or of seeds.
  std::vector<std::string> values_along(const std::string& axis) const {
    if (axis == seed_axis) return table_.study.seeds;
    const StudyGrid& grid = table_.study.grid;
    std::vector<std::string> names = grid.axis_names();
    names.insert(names.end(), {variant_axis, seed_axis, rank_axis});
    expect_known(where_, "axis", axis, names);
    return grid.values_of(axis);
  }

  double number(const StudyExpression& e, const StudyCoordinates& scope) const {
    if (const auto [list, values] = numbers(e, scope); !list) return values.front();
    throw missing(e, scope, "is a list in the results; expected its name[rank], or max(rank: ...)");
  }

  /// Applies a function to the values of its operands along axes, or along ranks.
  double over_axis(const StudyExpression& e, const StudyCoordinates& scope) const {
    std::vector<double> x = along(e.conditions, e.operands[0], scope);
    if (e.operands.size() == 1) return value_of(e.name, x);
    std::vector<double> y = along(e.conditions, e.operands[1], scope);
    x.resize(std::min(x.size(), y.size()));
    y.resize(x.size());
    if (std::isnan(mean_of(x) + mean_of(y))) return std::numeric_limits<double>::quiet_NaN();
    return kendall_tau(x, y);
  }

  /// Returns the numbers along axes, or along ranks. `ascending`: in the order of an axis' numbers,
  /// not as they are listed.
  std::vector<double> along(const std::vector<AxisCondition>& axes, const StudyExpression& e,
                            const StudyCoordinates& scope, bool ascending = false) const {
    std::vector<double> found;
    if (axes.front().axis != rank_axis) {
      std::vector<StudyCoordinates> places = scopes(axes, scope);
      const auto position = [](const StudyCoordinates& at) {
        return axis_number(at.back().second);
      };
      if (ascending &&
          std::ranges::none_of(places, [&](const auto& at) { return std::isnan(position(at)); }))
        std::ranges::stable_sort(places, {}, position);
      for (const StudyCoordinates& place : places) found.push_back(number(e, place));
      return found;
    }
    if (axes.size() > 1 || !axes.front().order.empty())
      throw ConfigError(where_ + ": found more than rank in front of ':'; expected rank alone");
    const auto [list, values] = numbers(e, scope);
    if (list || table_.is_open()) return values;
    throw missing(e, scope, "has no ranks in the results");
  }

  Numbers measure(const StudyExpression& e, const StudyCoordinates& scope) const {
    const auto [list, by_seed] = cell(e, scope);
    double rank = 0;
    for (const auto& [axis, order, value] : e.conditions) {
      if (axis != rank_axis) continue;
      rank = axis_number(value);
      if (!(rank >= 1) || rank != std::floor(rank))
        throw ConfigError(fmt::format("{}: found rank {} in {}; expected a whole number from 1 on",
                                      where_, quote(value), e.text));
    }
    if (table_.is_open()) return {false, {1}};
    Numbers means{list, {}};
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

  /// Returns the measure that an expression names, of the runs in scope.
  StudyCell cell(const StudyExpression& e, const StudyCoordinates& outer) const {
    const Study& study = table_.study;
    std::vector<std::string> measures;
    for (const StudyMeasure& measure : study.measures) measures.push_back(measure.name);
    expect_known(where_, "measure", e.name, measures);
    StudyCoordinates scope = outer;
    for (const auto& [axis, order, value] : e.conditions) {
      const std::vector<std::string> values = values_along(axis);
      if (axis == variant_axis && !study.narrowed) expect_known(where_, axis, value, values);
      scope.emplace_back(axis, value);
    }
    std::vector<std::size_t> points;
    for (std::size_t p = 0; p < study.points.size(); ++p)
      if (std::ranges::all_of(study.points[p].coordinates, [&](const auto& at) {
            const std::string* const wanted = value_on(at.first, scope);
            return !wanted || at.second.empty() || same_axis_value(at.second, *wanted);
          }))
        points.push_back(p);
    if (points.empty()) throw NotRun(fmt::format("{}: {} was not run", where_, quote(e.text)));
    const StudyCoordinates& first = study.points[points.front()].coordinates;
    for (const auto& [axis, order, value] : e.conditions)
      if (e.conditions[0].axis == variant_axis && axis != rank_axis && !value_on(axis, first))
        throw ConfigError(fmt::format("{}: {} does not vary {}; expected no value of it in {}",
                                      where_, e.conditions[0].value, axis, e.text));
    for (const auto& [axis, value] : first)
      for (const std::size_t p : points)
        if (axis != seed_axis && *value_on(axis, study.points[p].coordinates) != value)
          throw ConfigError(fmt::format("{}: {} leaves {} open; expected one of {}", where_,
                                        quote(e.text), axis,
                                        fmt::join(study.grid.values_of(axis), ", ")));
    const StudyMeasure& measure = *study.find_measure(e.name);
    if (StudyCell found = table_.cell(measure, points); !found.by_seed.empty()) return found;
    throw missing(e, outer, fmt::format("is not in the results ({}", measure.path), ")");
  }

  MissingNumber missing(const StudyExpression& e, const StudyCoordinates& scope,
                        std::string_view what, std::string_view end = "") const {
    return MissingNumber(fmt::format("{}: {} {}{}{}{}", where_, e.text, what,
                                     scope.empty() ? "" : " at ", shown_scope(scope), end));
  }

  const StudyTable& table_;
  const std::string& where_;
};

}  // namespace

StudyCell StudyTable::cell(const StudyMeasure& measure, std::span<const std::size_t> points) const {
  StudyCell cell;
  for (const std::size_t p : points) {
    std::vector<double> numbers;
    if (is_open()) {
      numbers = {1};
    } else if (const auto& metrics = runs[p].metrics; metrics.contains(measure.path)) {
      numbers = {metrics.at(measure.path)};
    } else {
      const auto entry = [&] { return fmt::format("{}.{}", measure.path, numbers.size() + 1); };
      while (metrics.contains(entry())) numbers.push_back(metrics.at(entry()));
      cell.list |= !numbers.empty();
    }
    if (!numbers.empty()) cell.by_seed[study.points[p].seed()] = std::move(numbers);
  }
  return cell;
}

namespace {

/// Corrects the p of a test for so many tests, and judges it.
void judge_test(StudyComparison& made, std::size_t tests) {
  if (!made.part.negated) made.corrected_p = bonferroni(*made.corrected_p, tests);
  const bool significant = made.held && *made.corrected_p < *made.part.level;
  made.held = significant != made.part.negated;
}

/// Returns true if a claim's comparisons, scope after scope, hold for all scopes, or for most.
bool holds(const StudyClaim& claim, std::span<const StudyComparison> comparisons) {
  const std::size_t parts = claim.parts.size(), scopes = comparisons.size() / parts;
  std::size_t held = 0;
  for (std::size_t s = 0; s < scopes; ++s)
    held += std::ranges::all_of(comparisons.subspan(s * parts, parts), &StudyComparison::held);
  return claim.most ? 2 * held > scopes : held == scopes;
}

}  // namespace

std::vector<ExpectationResult> evaluate_expectations(const StudyTable& table) {
  std::vector<ExpectationResult> results;
  std::size_t tests = 0;
  for (const auto& [claim, why, where] : table.study.expectations) {
    ExpectationResult& result = results.emplace_back();
    const Evaluator evaluator(table, where);
    try {
      for (const StudyCoordinates& scope : evaluator.scopes(claim.scope, {}))
        for (const ClaimPart& part : claim.parts)  // all of them, to show all numbers
          result.comparisons.push_back(evaluator.compare(part, scope));
    } catch (const NotRun& error) {
      const bool missing = dynamic_cast<const MissingNumber*>(&error) != nullptr;
      if (!missing && !table.study.narrowed) throw;
      result.status = missing ? ExpectationStatus::unknown : ExpectationStatus::not_run;
      result.note = error.what();
    }
    for (const StudyComparison& made : result.comparisons)
      tests += made.corrected_p && !made.part.negated ? 1 : 0;
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    ExpectationResult& result = results[i];
    for (StudyComparison& made : result.comparisons)
      if (made.corrected_p) judge_test(made, tests);
    if (result.status == ExpectationStatus::held &&
        !holds(table.study.expectations[i].claim, result.comparisons))
      result.status = ExpectationStatus::failed;
  }
  return results;
}

NumbersBySeed numbers_by_seed(const StudyExpression& expression, const StudyCoordinates& scope,
                              const StudyTable& table, const std::string& where) {
  NumbersBySeed found;
  for (const std::string& seed : table.study.seeds) try {
      const auto [list, values] =
          Evaluator(table, where).numbers(expression, with(scope, seed_axis, seed));
      if (!list) {
        found.single.emplace_back(seed, values.front());
        continue;
      }
      if (found.by_rank.empty() || values.size() < found.by_rank.size())
        found.by_rank.resize(values.size());
      for (std::size_t rank = 0; rank < found.by_rank.size(); ++rank)
        found.by_rank[rank].emplace_back(seed, values[rank]);
    } catch (const NotRun&) {
      continue;  // other seeds have it
    }
  return found;
}

}  // namespace ultr
