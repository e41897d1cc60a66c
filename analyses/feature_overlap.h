#pragma once

#include <limits>
#include <vector>

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

}  // namespace ultr
