#pragma once

#include "experiment/predicted_clicks.h"

namespace ultr {

/// By an additive two-tower model whose relevance tower (two layers of 32 neurons, ELU, as in
/// Hager, 2025, chapter 4) reads the sample's features, scaled by sign(x) ln(1 + |x|) and
/// standardised: of each of 5 folds of queries one says what is trained on three others and stopped
/// by the fourth. The sample must have features; NaN if a fold has no queries. Nothing depends on
/// `threads`.
PredictedClicks clicks_by_tower(const Dataset& dataset, const DocumentSample& sample,
                                std::uint64_t seed, int threads);

}  // namespace ultr
