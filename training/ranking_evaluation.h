#pragma once

#include <span>
#include <vector>

#include "data/log/judged_lists.h"
#include "dsl/model_options.h"
#include "metrics/metrics.h"

namespace ultr {

/// Returns the logits of the model's relevance, which distinguish probabilities near 1, of judged
/// lists: one per document, list after list.
std::vector<double> relevance_logits(const TrainableModel& model, const JudgedLists& lists);

/// Evaluates the ranking of judged lists by the model's relevance.
RankingMetrics evaluate_ranking(const TrainableModel& model, const JudgedLists& lists,
                                const RankingOptions& options);

/// Evaluates the ranking of judged lists by given scores: one per document, list after list.
RankingMetrics evaluate_scores(std::span<const double> scores, const JudgedLists& lists,
                               const RankingOptions& options);

}  // namespace ultr
