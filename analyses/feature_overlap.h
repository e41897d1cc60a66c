#pragma once

#include <limits>
#include <vector>

#include "analyses/document_sample.h"

namespace ultr {

/// Whether documents at different ranks have features in common. Without swaps, an additive
/// two-tower model with a continuous relevance tower is identified, approximately, if ranks are
/// connected by overlapping features (Hager, 2025, theorem 4.2).
struct FeatureOverlap {
  std::vector<std::size_t> ranks;  // 0-based, rising
  /// For each of the ranks the area by which features tell its documents from those of the rank
  /// before, and from those of the first (two_sample_auc); NaN where there is none.
  std::vector<double> from_rank_before, from_first;
  /// For each of the ranks the largest area on the way to the first, over either kind of step, on
  /// which this is least; 0.5 for the first, NaN where there is no way.
  std::vector<double> hardest_step;
};

/// Of the ranks given, by the documents of the sample, queries being its groups. Nothing depends on
/// `threads`.
FeatureOverlap feature_overlap(const Dataset& dataset, const DocumentSample& sample,
                               const std::vector<std::size_t>& ranks, std::uint64_t seed,
                               int threads);

}  // namespace ultr
