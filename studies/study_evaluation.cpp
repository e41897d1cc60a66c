#include "studies/study_evaluation.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "metrics/click_evaluation.h"
#include "metrics/significance.h"
#include "studies/study_evaluator.h"

namespace ultr {
namespace {

/// The values of both sides of a test, pair by pair.
using PairedValues = std::array<std::vector<double>, 2>;

bool pairs_queries(const ClaimPart& part) {
  return std::ranges::count(part.pairs, query_axis, &AxisCondition::axis) > 0;
}

/// Returns the axes that a test pairs over, without queries.
std::vector<AxisCondition> paired_axes(const ClaimPart& part, const std::string& where) {
  if (part.pairs.empty()) return {{.axis = seed_axis, .order = {}, .value = {}}};
  std::vector<AxisCondition> axes = part.pairs;
  if (!pairs_queries(part)) return axes;
  for (const auto& [axis, order, value] : axes)
    if (axis == seed_axis || (axis == query_axis && !order.empty()))
      throw ConfigError(fmt::format(
          "{}: found {}{}{} in {}; expected query alone or beside other axes than seed, since the "
          "values of a query are means over seeds",
          where, axis, order, value, part.text));
  std::erase_if(axes, [](const AxisCondition& axis) { return axis.axis == query_axis; });
  return axes;
}

/// Throws ConfigError if an expression has a perplexity: the values of queries are log-likelihoods,
/// which are better where they are higher.
void expect_no_perplexity(const StudyExpression& e, const Study& study, const std::string& where) {
  for (const StudyExpression& operand : e.operands) expect_no_perplexity(operand, study, where);
  const StudyMeasure* const named = e.operands.empty() ? study.find_measure(e.name) : nullptr;
  if (named == nullptr) return;
  for (const ClickMeasure& click : click_measures())
    if (named->path == fmt::format("test.{}", click.name) && !click.query_column.empty() &&
        click.query_column != click.name)
      throw ConfigError(
          fmt::format("{}: {} is {}, which single queries do not have; expected a measure with the "
                      "path test.ll, their log-likelihood",
                      where, e.text, named->path));
}

PairedValues paired_values(const ClaimPart& part, const StudyCoordinates& scope,
                           const StudyTable& table, const std::string& where) {
  const StudyEvaluator evaluator(table, where);
  if (pairs_queries(part))
    for (const StudyExpression& side : part.sides) expect_no_perplexity(side, table.study, where);
  PairedValues pairs;
  for (const StudyCoordinates& place : evaluator.scopes(paired_axes(part, where), scope)) {
    if (!pairs_queries(part)) {
      for (std::size_t s = 0; s < pairs.size(); ++s)
        pairs[s].push_back(evaluator.finite(part.sides[s], place));
      continue;
    }
    const std::vector<Numbers> sides = evaluator.by_query(part.sides, place);
    const auto at = [](const Numbers& side, std::size_t i) {
      return side.values[side.list ? i : 0];
    };
    for (std::size_t i = 0; i < std::max(sides[0].values.size(), sides[1].values.size()); ++i) {
      const double a = at(sides[0], i), b = at(sides[1], i);
      if (!std::isfinite(a) || !std::isfinite(b)) continue;  // the query does not count
      pairs[0].push_back(a);
      pairs[1].push_back(b);
    }
  }
  return pairs;
}

/// Compares the numbers along the axis of a trend, each with the next.
StudyComparison compare_along(const ClaimPart& part, const StudyCoordinates& scope,
                              const StudyTable& table, const std::string& where) {
  const StudyEvaluator evaluator(table, where);
  const StudyExpression& side = part.sides.front();
  StudyComparison made{.part = part, .scope = shown_scope(scope), .held = true};
  for (const double value : evaluator.along(part.along, side, scope, true))
    made.values.push_back(evaluator.finite(value, side, scope));
  if (made.values.size() < 2 && !table.is_open())
    throw NotRun(fmt::format("{}: {} has {} values along {}; expected two at least", where,
                             part.text, made.values.size(), part.along.front().axis));
  made.part.orders.assign(made.values.size() - 1, part.orders.front());
  for (std::size_t i = 0; i < made.part.orders.size(); ++i)
    made.held &= in_order(made.values[i], made.part.orders[i], made.values[i + 1]);
  return made;
}

/// Compares the sides of a part: for a test over given axes, means over its pairs. The p of a test
/// is not corrected yet, and `held` of a test says only whether the difference has the right sign.
StudyComparison compare(const ClaimPart& part, const StudyCoordinates& scope,
                        const StudyTable& table, const std::string& where) {
  if (part.is_trend()) return compare_along(part, scope, table, where);
  const StudyEvaluator evaluator(table, where);
  StudyComparison made{.part = part, .scope = shown_scope(scope), .held = true};
  if (part.pairs.empty())
    for (const StudyExpression& side : part.sides)
      made.values.push_back(evaluator.finite(side, scope));
  for (std::size_t i = 0; i + 1 < made.values.size(); ++i)
    made.held &= in_order(made.values[i], part.orders[i], made.values[i + 1]);
  if (!part.level) return made;
  const PairedValues pairs = paired_values(part, scope, table, where);
  const bool unknown_queries = table.is_open() && pairs_queries(part);
  if (pairs[0].size() < 2 && !unknown_queries)
    throw NotRun(fmt::format("{}: {} has {} to compare; expected two at least", where, part.text,
                             pairs[0].empty() ? "no pair" : "one pair"));
  if (unknown_queries) return made;
  const PairedTTest test = paired_t_test(pairs[0], pairs[1]);
  if (!part.pairs.empty()) made.values = {mean_of(pairs[0]), mean_of(pairs[1])};
  made.corrected_p = test.p_value;
  made.held = in_order(test.mean_difference, part.orders[0], 0);
  return made;
}

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
    try {
      for (const StudyCoordinates& scope : StudyEvaluator(table, where).scopes(claim.scope, {}))
        for (const ClaimPart& part : claim.parts)  // all of them, to show all numbers
          result.comparisons.push_back(compare(part, scope, table, where));
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
          StudyEvaluator(table, where).numbers(expression, with(scope, seed_axis, seed));
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
