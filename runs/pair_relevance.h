#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "runs/saved_model.h"
#include "training/predictor.h"

/// What a click model has learned of single query-document pairs.
namespace ultr {

/// Counts of a query-document pair over sessions.
struct PairCounts {
  std::uint64_t impressions = 0, clicks = 0, positions = 0;  // positions are summed, from 1

  /// Returns the mean displayed position, from 1; NaN without impressions.
  double mean_position() const {
    return static_cast<double>(positions) / static_cast<double>(impressions);
  }
};

/// Counts the pairs of a log; one entry per row of the dictionary.
std::vector<PairCounts> count_pairs(const SessionLog& log, std::size_t rows);

/// Returns the probability of relevance of rows `first` to `last` - 1 of the dictionary, by a model
/// whose relevance depends on pairs. If it also depends on the position, it is that at the first.
std::vector<double> relevance_of_rows(Predictor& predictor, std::uint32_t first,
                                      std::uint32_t last);

/// A query-document pair of the training sessions, as a trained model knows it.
struct LearnedPair : PairCounts {
  std::uint64_t query = 0, document = 0;  // ids
  double relevance = 0;                   // a probability
};

/// Calls `take` with the pairs of a run's dictionary in parts, in order. The training data are read
/// again. Throws DataError if the model has no parameters of single pairs, or its data have
/// changed.
void for_each_learned_pair(SavedModel& saved,
                           const std::function<void(std::span<const LearnedPair>)>& take);

}  // namespace ultr
