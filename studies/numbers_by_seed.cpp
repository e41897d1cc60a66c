#include "studies/numbers_by_seed.h"

#include <algorithm>

namespace ultr {

NumbersBySeed::NumbersBySeed(const StudyEvaluator& evaluator, const std::vector<std::string>& seeds,
                             const StudyExpression& expression, const StudyCoordinates& scope) {
  for (const std::string& seed : seeds) {
    try {
      by_seed_.emplace_back(seed, evaluator.numbers(expression, with(scope, seed_axis, seed)));
    } catch (const NotRun&) {
      continue;  // other seeds have it
    }
  }
}

std::size_t NumbersBySeed::ranks() const {
  std::size_t shortest = 0;
  for (const auto& [seed, numbers] : by_seed_)
    if (numbers.list)
      shortest = shortest == 0 ? numbers.values.size() : std::min(shortest, numbers.values.size());
  return shortest;
}

SeedValues NumbersBySeed::at(std::size_t rank) const {
  SeedValues values;
  for (const auto& [seed, numbers] : by_seed_)
    values.emplace_back(seed, numbers.values[numbers.list ? rank - 1 : 0]);
  return values;
}

SeedValues NumbersBySeed::single() const {
  SeedValues values;
  for (const auto& [seed, numbers] : by_seed_)
    if (!numbers.list) values.emplace_back(seed, numbers.values.front());
  return values;
}

}  // namespace ultr
