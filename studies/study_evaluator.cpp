#include "studies/study_evaluator.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text/quote.h"
#include "metrics/rank_correlation.h"
#include "studies/study_nodes.h"

namespace ultr {
namespace {

/// Applies an operator or a function to numbers. Functions of a NaN are NaN.
double value_of(const std::string& name, const std::vector<double>& x) {
  if (name == "-") return x.size() == 1 ? -x[0] : x[0] - x[1];
  if (name == "+") return x[0] + x[1];
  if (name == "*") return x[0] * x[1];
  if (name == "/") return x[0] / x[1];
  if (name == "abs") return std::abs(x[0]);
  if (name == "log") return std::log(x[0]);
  const double mean = mean_of(x);
  if (name == "mean" || std::isnan(mean)) return mean;
  return name == "min" ? std::ranges::min(x) : std::ranges::max(x);
}

/// Applies an operator or a function to lists rank by rank, up to the end of the shortest.
Numbers combined(const std::string& name, const std::vector<Numbers>& operands) {
  std::optional<std::size_t> shortest;
  for (const auto& [list, values] : operands)
    if (list) shortest = std::min(shortest.value_or(values.size()), values.size());
  Numbers result{shortest.has_value(), {}};
  for (std::size_t rank = 0; rank < shortest.value_or(1); ++rank) {
    std::vector<double> x;
    for (const auto& [list, values] : operands) x.push_back(values[list ? rank : 0]);
    result.values.push_back(value_of(name, x));
  }
  return result;
}

/// The numbers of `chosen` along an axis.
struct Chooser {
  std::vector<double> criteria, outcomes, among;
  std::size_t count;  // how many with the lowest `among` are left

  /// Returns the outcome whose criterion is lowest, if only some places on the axis are there. The
  /// first of equal ones counts as lower.
  double of(std::vector<std::size_t> places) const {
    std::ranges::stable_sort(places, {}, [&](std::size_t i) { return among[i]; });
    places.resize(std::min(places.size(), count));
    std::ranges::sort(places);
    return outcomes[*std::ranges::min_element(places, {}, [&](auto i) { return criteria[i]; })];
  }

  /// Returns the mean of these outcomes over all sets of at least `fewest` places. NaN if a number
  /// is.
  double mean_of_sets(std::size_t fewest) const {
    const std::size_t n = criteria.size();
    if (std::isnan(mean_of(criteria) + mean_of(outcomes) + mean_of(among)))
      return std::numeric_limits<double>::quiet_NaN();
    double sum = 0, sets = 0;
    for (std::size_t members = 1; members < std::size_t{1} << n; ++members) {
      std::vector<std::size_t> places;
      for (std::size_t i = 0; i < n; ++i)
        if ((members >> i & 1) != 0) places.push_back(i);
      if (places.size() < fewest) continue;
      sum += of(std::move(places));
      ++sets;
    }
    return sum / sets;
  }
};

}  // namespace

Numbers StudyEvaluator::numbers(const StudyExpression& e, const StudyCoordinates& scope) const {
  if (e.name.empty()) return {false, {e.number}};
  if (e.operands.empty()) return measure(e, scope);
  if (!e.conditions.empty()) return over_axis(e, scope);
  std::vector<Numbers> operands;
  for (const StudyExpression& operand : e.operands) operands.push_back(numbers(operand, scope));
  return combined(e.name, operands);
}

std::vector<Numbers> StudyEvaluator::by_query(const std::vector<StudyExpression>& expressions,
                                              const StudyCoordinates& scope) const {
  TestQueries queries;
  StudyEvaluator evaluator = *this;
  evaluator.queries_ = &queries;
  std::vector<Numbers> found;
  for (const StudyExpression& e : expressions) found.push_back(evaluator.numbers(e, scope));
  return found;
}

std::vector<StudyCoordinates> StudyEvaluator::scopes(const std::vector<AxisCondition>& conditions,
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

std::vector<std::string> StudyEvaluator::values_along(const std::string& axis) const {
  if (axis == seed_axis) return table_.study.seeds;
  const StudyGrid& grid = table_.study.grid;
  std::vector<std::string> names = grid.axis_names();
  names.insert(names.end(), {variant_axis, seed_axis, rank_axis});
  expect_known(where_, "axis", axis, names);
  return grid.values_of(axis);
}

double StudyEvaluator::finite(double value, const StudyExpression& e,
                              const StudyCoordinates& scope) const {
  if (!std::isfinite(value) && !table_.is_open())
    throw missing(e, scope, std::isnan(value) ? "is not a number" : "is infinite");
  return std::isfinite(value) ? value : 1;
}

double StudyEvaluator::number(const StudyExpression& e, const StudyCoordinates& scope) const {
  if (const auto [list, values] = numbers(e, scope); !list) return values.front();
  throw missing(e, scope, "is a list in the results; expected its name[rank], or max(rank: ...)");
}

Numbers StudyEvaluator::over_axis(const StudyExpression& e, const StudyCoordinates& scope) const {
  if (e.operands.size() == 1 && e.conditions.front().axis != rank_axis) {
    std::vector<Numbers> values;  // combined rank by rank, or query by query
    for (const StudyCoordinates& place : scopes(e.conditions, scope))
      values.push_back(numbers(e.operands[0], place));
    return combined(e.name, values);
  }
  if (queries_ != nullptr)
    throw ConfigError(fmt::format("{}: {} has no values for each query", where_, e.text));
  std::vector<double> x = along(e.conditions, e.operands[0], scope);
  if (e.operands.size() == 1) return {false, {value_of(e.name, x)}};
  std::vector<double> y = along(e.conditions, e.operands[1], scope);
  if (e.name == "chosen") return {false, {chosen(e, scope, std::move(x), std::move(y))}};
  x.resize(std::min(x.size(), y.size()));
  y.resize(x.size());
  if (std::isnan(mean_of(x) + mean_of(y)))
    return {false, {std::numeric_limits<double>::quiet_NaN()}};
  return {false, {kendall_tau(x, y)}};
}

double StudyEvaluator::chosen(const StudyExpression& e, const StudyCoordinates& scope,
                              std::vector<double> criteria, std::vector<double> outcomes) const {
  constexpr std::size_t most = 16;  // all sets of them are gone through
  const std::size_t n = criteria.size();
  const auto count = [&](std::size_t operand, std::size_t otherwise) {
    if (e.operands.size() <= operand) return otherwise;
    return static_cast<std::size_t>(
        std::clamp(finite(e.operands[operand], scope), 1., static_cast<double>(n)));
  };
  std::vector<double> among =
      e.operands.size() > 2 ? along(e.conditions, e.operands[2], scope) : criteria;
  if (n == 0 || n > most || outcomes.size() != n || among.size() != n)
    throw ConfigError(fmt::format("{}: {} goes over {} values; expected 1 to {}, alike for all",
                                  where_, e.text, n, most));
  return Chooser{std::move(criteria), std::move(outcomes), std::move(among), count(3, n)}
      .mean_of_sets(count(4, n));
}

std::vector<double> StudyEvaluator::along(const std::vector<AxisCondition>& axes,
                                          const StudyExpression& e, const StudyCoordinates& scope,
                                          bool ascending) const {
  std::vector<double> found;
  if (axes.front().axis != rank_axis) {
    std::vector<StudyCoordinates> places = scopes(axes, scope);
    const auto position = [](const StudyCoordinates& at) { return axis_number(at.back().second); };
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

Numbers StudyEvaluator::measure(const StudyExpression& e, const StudyCoordinates& scope) const {
  if (queries_ != nullptr) return measure_by_query(e, scope);
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

Numbers StudyEvaluator::measure_by_query(const StudyExpression& e,
                                         const StudyCoordinates& scope) const {
  const std::vector<std::size_t> its = points(e, scope);
  if (table_.is_open()) return {false, {1}};
  const std::string& path = table_.study.find_measure(e.name)->path;
  std::vector<std::filesystem::path> folders;
  for (const std::size_t p : its) folders.push_back(table_.runs[p].folder);
  const auto unpaired = [&](const DataError& why) {
    return missing(e, scope, "cannot be paired by query", fmt::format(": {}", why.what()));
  };
  try {
    const MeanQueryValues values = mean_query_values(folders, path);
    if (!*queries_) *queries_ = values;
    expect_same_queries((*queries_)->mean, (*queries_)->first_run, values.mean, values.first_run);
    Numbers numbers{true, {}};
    for (const QueryValue& query : values.mean.queries) numbers.values.push_back(query.value);
    return numbers;
  } catch (const NoQueryValues& why) {
    throw unpaired(why);
  } catch (const OtherQueries& why) {
    throw unpaired(why);
  }
}

std::vector<std::size_t> StudyEvaluator::points(const StudyExpression& e,
                                                const StudyCoordinates& outer) const {
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
  return points;
}

StudyCell StudyEvaluator::cell(const StudyExpression& e, const StudyCoordinates& scope) const {
  const std::vector<std::size_t> its = points(e, scope);
  const StudyMeasure& measure = *table_.study.find_measure(e.name);
  if (StudyCell found = table_.cell(measure, its); !found.by_seed.empty()) return found;
  throw missing(e, scope, fmt::format("is not in the results ({}", measure.path), ")");
}

MissingNumber StudyEvaluator::missing(const StudyExpression& e, const StudyCoordinates& scope,
                                      std::string_view what, std::string_view end) const {
  return MissingNumber(fmt::format("{}: {} {}{}{}{}", where_, e.text, what,
                                   scope.empty() ? "" : " at ", shown_scope(scope), end));
}

}  // namespace ultr
