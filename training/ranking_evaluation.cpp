#include "training/ranking_evaluation.h"

#include "training/predictor.h"

namespace ultr {

RankingMetrics evaluate_ranking(const TrainableModel& model, const JudgedLists& lists,
                                const RankingOptions& options, int threads) {
  return evaluate_scores(relevance_logits(model, lists, threads), lists, options);
}

RankingMetrics evaluate_scores(std::span<const double> scores, const JudgedLists& lists,
                               const RankingOptions& options) {
  RankingMetrics metrics(options);
  std::size_t first = 0;
  for (std::size_t i = 0; i < lists.size(); ++i) {
    const std::size_t length = lists.rows(i).size();
    metrics.add(scores.subspan(first, length), lists.labels(i));
    first += length;
  }
  return metrics;
}

}  // namespace ultr
