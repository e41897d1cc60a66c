#pragma once

#include <cstdint>
#include <vector>

#include "data/features/lambdamart.h"
#include "data/log/dataset.h"

namespace ultr {

/// LambdaMART that is cross-validated on judged lists.
struct CrossValidation {
  std::size_t lists = 0, documents = 0;  // with judgements
  std::vector<LambdaMart> trees{};       // by fold: those that rank it
  std::vector<double> scores{};          // of each document of the judged lists, list after list
};

/// Divides the judged lists of the data into `fold_count` folds, at least 2, of whole queries
/// (fold_of). Scores those of each fold by trees that learned from the judgements of all others.
/// Trees read no bias features. Threads train folds side by side; the result does not depend on
/// them. The documents must have features. Throws DataError if all lists with judgements are in one
/// fold.
CrossValidation cross_validate(const Dataset& dataset, const LambdaMartOptions& options,
                               std::uint64_t fold_count, std::uint64_t seed, int threads);

}  // namespace ultr
