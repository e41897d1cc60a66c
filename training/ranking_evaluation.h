#pragma once

#include <limits>
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

/// The agreement of two scorings on the order of judged lists.
struct RankAgreement {
  std::size_t lists = 0;                                          // that both order
  double kendall_tau = std::numeric_limits<double>::quiet_NaN();  // mean over these lists
};

/// Compares two scorings of judged lists: one number each per document, list after list.
RankAgreement rank_agreement(std::span<const double> scores, std::span<const double> others,
                             const JudgedLists& lists);

}  // namespace ultr
