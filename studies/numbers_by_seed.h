#pragma once

#include <string>
#include <utility>
#include <vector>

#include "metrics/seed_summary.h"
#include "studies/study_evaluation.h"

namespace ultr {

/// The numbers of an expression for each seed for which all that they need was run and has results.
class NumbersBySeed {
 public:
  NumbersBySeed(const StudyEvaluator& evaluator, const std::vector<std::string>& seeds,
                const StudyExpression& expression, const StudyCoordinates& scope);

  std::size_t seeds() const { return by_seed_.size(); }
  /// Returns the length of the shortest list; 0 if there is no list.
  std::size_t ranks() const;
  /// Returns the numbers at a rank from 1 on.
  SeedValues at(std::size_t rank) const;
  /// Returns the numbers that are no lists.
  SeedValues single() const;

 private:
  std::vector<std::pair<std::string, StudyNumbers>> by_seed_;
};

}  // namespace ultr
