#pragma once

#include "losses/ranking_loss.h"

namespace ultr {

/// The usual upper limit of click weights (Hager et al., SIGIR 2024).
inline constexpr double usual_largest_weight = 10;

/// Computes the weights that one half of the dual learning algorithm gives the other, as constants:
/// min(p_1 / p_k, largest), where p = softmax(x) within a list and p_1 belongs to the first
/// document that the list shows. logits x: [documents]; first_documents: for each document, the
/// number of its list's first document; result: [documents].
Tensor dual_learning_weights(Tensor logits, Index first_documents, double largest);

/// Computes the loss of the dual learning algorithm (DLA; Ai et al., 2018): the softmax loss of
/// relevance with clicks weighted by inverse examination, plus the softmax loss of examination with
/// clicks weighted by inverse relevance (see softmax_loss and dual_learning_weights).
/// relevance, examination (logits), clicks: [documents]; result: [lists].
Tensor dual_learning_loss(Tensor relevance, Tensor examination, Tensor clicks, Segments lists,
                          Index first_documents, double largest_weight = 10);

/// DLA that learns the examination of each displayed position.
class DualLearningLoss final : public RankingLoss {
 public:
  explicit DualLearningLoss(ModelBuilder& build);
  Tensor loss(const Lists& lists) const override;
  std::optional<PositionEffect> position_effect() const override {
    return PositionEffect{examination_, PositionEffect::Scale::log_propensity};
  }

 private:
  LogitParameter examination_;
  double largest_weight_;
};

}  // namespace ultr
