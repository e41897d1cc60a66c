#pragma once

#include <limits>
#include <vector>

#include "analyses/bias_combinations.h"
#include "analyses/document_sample.h"

namespace ultr {

/// The overlap of the features of documents at different ranks. Without swaps, an additive
/// two-tower model with a continuous relevance tower is identified, approximately, if ranks are
/// connected by overlapping features (Hager, 2025, theorem 4.2).
struct FeatureOverlap {
  std::vector<std::size_t> ranks;  // 0-based, ascending
  /// For each rank, the AUC at which features separate its documents from those of the rank before,
  /// and from those of the first rank (two_sample_auc). NaN where there is none.
  std::vector<double> from_rank_before, from_first;
  /// For each rank, the largest AUC on the path to the first rank, along steps of either kind, that
  /// makes this smallest. 0.5 for the first rank, NaN where there is no path.
  std::vector<double> hardest_step;
};

/// Computes the overlap between the given ranks from the documents of the sample, grouped by query.
/// The result does not depend on `threads`.
FeatureOverlap feature_overlap(const Dataset& dataset, const DocumentSample& sample,
                               const std::vector<std::size_t>& ranks, std::uint64_t seed,
                               int threads);

/// The overlap of the features of documents with different combinations of rank and bias features.
struct CombinationOverlap {
  /// Two combinations, and the AUC at which features separate their documents; NaN if there is
  /// none.
  struct Step {
    std::size_t a = 0, b = 0;
    double area = std::numeric_limits<double>::quiet_NaN();
  };

  /// From each combination but the first to the nearest one before it in a single dimension, by
  /// rank and by each bias feature, where the others are the same; if there is none, to the one
  /// before it.
  std::vector<Step> steps;
  /// FeatureOverlap::hardest_step of each combination, along these steps.
  std::vector<double> hardest_step;
};

/// Computes the overlap between combinations from the documents of the sample, grouped by query.
/// The result does not depend on `threads`.
CombinationOverlap combination_overlap(const Dataset& dataset, const DocumentSample& sample,
                                       const BiasCombinations& combinations, std::uint64_t seed,
                                       int threads);

}  // namespace ultr
