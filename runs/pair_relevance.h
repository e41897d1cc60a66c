#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "data/features/graded_labels.h"
#include "data/log/pair_dictionary.h"
#include "data/log/session_log.h"
#include "dsl/learned_position_bias.h"
#include "experiment/data_options.h"
#include "metrics/significance.h"
#include "runs/saved_model.h"

namespace ultr {

/// The sessions that show a query-document pair, by their weights.
struct PairCounts {
  double impressions = 0, clicks = 0;
  double mean_position = std::numeric_limits<double>::quiet_NaN();  // from 1; NaN: never shown
};

/// Counts how often each of the `rows` rows of a dictionary was shown and clicked, and where.
std::vector<PairCounts> count_pairs(const SessionLog& log, std::size_t rows);

/// The relevance of a query-document pair, and the evidence for it in the training sessions.
struct PairRelevance {
  std::uint64_t query = 0, document = 0;  // ids; PairDictionary::names has their texts
  /// `lower` and `upper` are NaN if there is no interval (PairRelevances::no_intervals).
  RelevanceEstimate estimate{};
  double clicks = 0;
  double mean_position = std::numeric_limits<double>::quiet_NaN();  // from 1; NaN: never shown
};

/// The relevance of all query-document pairs that a model was trained on.
struct PairRelevances {
  std::vector<PairRelevance> pairs;  // in the order of the dictionary, without its unknown pair
  std::string no_intervals;          // why there are no intervals; empty if there are
  /// The position bias that the model has learned, if any, with its intervals by position.
  std::optional<PositionBias> position_bias{};
  std::vector<ConfidenceInterval> position_bias_intervals{};
  /// True if clicks determine relevance only up to a common factor or term, which examination of
  /// the first position fixes; intervals are relative to its estimate.
  bool relative_to_first_position = false;
};

/// Settings of pair_relevance.
struct PairRelevanceSetting {
  int threads = 1;
  FeatureTable features{};  // of the dictionary's rows, if documents bring their own
  /// Compute intervals, which takes a pass over the training sessions.
  bool intervals = true;
};

/// Returns the probability of relevance (ClickModel::relevance) of every query-document pair of the
/// training sessions `train`, whose dictionary the model's begins with, with likelihood intervals
/// (training/intervals/likelihood_intervals.h) that contain it, if the model has tables. If
/// relevance depends on the position, it is that at the first. Does not depend on the number of
/// threads. Throws DataError unless the model tells pairs apart, by their rows in tables or by
/// their features, and the pairs can be listed.
PairRelevances pair_relevance(const TrainableModel& model, const PairDictionary& dictionary,
                              const SessionLog& train, const PairRelevanceSetting& setting);

/// Returns the estimates of relevance without their pairs.
std::vector<RelevanceEstimate> relevance_estimates(std::span<const PairRelevance> pairs);

/// The relevance that a run has learned, and the data that it was trained on.
struct RunRelevance {
  ExperimentData data;
  PairRelevances relevance;
};

/// Reads the data of a run again and returns its pair_relevance, computed on the run's number of
/// threads. Throws DataError, with the run's folder, as pair_relevance does or if the data have
/// changed.
RunRelevance relevance_of_run(SavedModel& saved, bool intervals = true);

}  // namespace ultr
