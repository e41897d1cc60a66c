#include "training/ranking_evaluation.h"

#include <cmath>

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

RankAgreement rank_agreement(std::span<const double> scores, std::span<const double> others,
                             const JudgedLists& lists) {
  RankAgreement agreement;
  double sum = 0;
  std::size_t first = 0;
  for (std::size_t i = 0; i < lists.size(); ++i) {
    const std::size_t length = lists.rows(i).size();
    const double tau = kendall_tau(scores.subspan(first, length), others.subspan(first, length));
    first += length;
    if (std::isnan(tau)) continue;  // there is no order
    sum += tau;
    ++agreement.lists;
  }
  if (agreement.lists > 0) agreement.kendall_tau = sum / static_cast<double>(agreement.lists);
  return agreement;
}

}  // namespace ultr
