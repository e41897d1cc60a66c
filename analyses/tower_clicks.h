#pragma once

#include "analyses/predicted_clicks.h"

namespace ultr {

/// By additive two-tower models, one for each of 5 folds of sessions: it predicts the clicks of its
/// fold, is trained on three others and stopped early by the last. Folds are of sessions, not of
/// queries, since how models generalise to other documents is not what their form misses. The
/// relevance tower (two layers of 32 neurons, ELU, as in Hager, 2025, chapter 4) reads the sample's
/// features, scaled by sign(x) ln(1 + |x|) and standardised. The sample must have features. NaN for
/// folds that, or whose training or stopping, have no sessions. Nothing depends on `threads`.
PredictedClicks clicks_by_tower(const Dataset& dataset, const DocumentSample& sample,
                                std::uint64_t seed, int threads);

}  // namespace ultr
