#pragma once

#include <span>

#include "data/log/judged_lists.h"
#include "dsl/model_options.h"
#include "metrics/metrics.h"

namespace ultr {

/// Evaluates the ranking of judged lists by the model's relevance (relevance_logits).
RankingMetrics evaluate_ranking(const TrainableModel& model, const JudgedLists& lists,
                                const RankingOptions& options, int threads);

/// Evaluates the ranking of judged lists by given scores: one per document, list after list.
RankingMetrics evaluate_scores(std::span<const double> scores, const JudgedLists& lists,
                               const RankingOptions& options);

}  // namespace ultr
