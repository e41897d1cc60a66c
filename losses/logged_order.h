#pragma once

#include <vector>

#include "losses/ranking_loss.h"

namespace ultr {

/// Computes the attention rank loss (Ai et al., 2018): the cross-entropy between softmax(targets)
/// and softmax(scores) of each list. scores, targets (any numbers, no gradient): [documents];
/// result: [lists].
Tensor attention_rank_loss(Tensor scores, Tensor targets, Segments lists);

/// Bounds on its second derivatives in the scores (see softmax_curvature). Result: [documents].
Tensor attention_rank_curvature(Tensor scores, Tensor targets, Segments lists, Index list_numbers);

/// A ranker that reproduces the order in which lists were shown, whatever was clicked: the
/// attention rank loss with the target 1/k for a document at displayed position k (Luo et al.,
/// 2024, section 4.2).
class LoggedOrderLoss final : public RankingLoss {
 public:
  explicit LoggedOrderLoss(ModelBuilder& build);
  /// For a stage of another loss, whose parameter of documents learns the order. `positions`: the
  /// number of displayed positions.
  LoggedOrderLoss(LogitParameter parameter, std::int64_t positions);

  Tensor loss(const Lists& lists) const override;
  std::optional<Tensor> score_curvature(const Lists& lists) const override;

 private:
  std::vector<double> targets_;  // by 0-based position
};

}  // namespace ultr
