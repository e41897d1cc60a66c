#pragma once

#include "analyses/predicted_clicks.h"

namespace ultr {

/// Predicts clicks by additive two-tower models, one per fold of 5 folds of sessions. Each model
/// predicts the clicks of its fold, is trained on three others and stopped early by the last one.
/// Folds consist of sessions, not queries, since the question is what the form of the model misses,
/// not how it generalises to other documents. The relevance tower (two layers of 32 neurons, ELU,
/// as in Hager, 2025, chapter 4) reads the sample's features, scaled by sign(x) ln(1 + |x|) and
/// standardised. The sample must have features. Predictions are NaN for a fold if it, its training
/// folds or its stopping fold have no sessions. The result does not depend on `threads`.
PredictedClicks clicks_by_tower(const Dataset& dataset, const DocumentSample& sample,
                                std::uint64_t seed, int threads);

}  // namespace ultr
