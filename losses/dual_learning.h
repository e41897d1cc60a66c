#pragma once

#include "losses/ranking_loss.h"

namespace ultr {

/// Weights of clicks are usually at most this (Hager et al., SIGIR 2024).
inline constexpr double usual_largest_weight = 10;

/// The weights that one half of a dual learning algorithm gives the other:
/// min(p_1 / p_k, largest) where p = softmax(x) within a list and p_1 is that of the first document
/// it shows; constants. logits: [documents]; first_documents: of each document, the number of the
/// first of its list; result: [documents].
Tensor dual_learning_weights(Tensor logits, Index first_documents, double largest);

/// Dual learning algorithm (DLA; Ai et al., 2018): the softmax loss of relevance with clicks
/// weighted by inverse examination, plus the softmax loss of examination with clicks weighted by
/// inverse relevance (see softmax_loss and dual_learning_weights).
/// relevance, examination (logits), clicks: [documents]; result: [lists].
Tensor dual_learning_loss(Tensor relevance, Tensor examination, Tensor clicks, Segments lists,
                          Index first_documents, double largest_weight = 10);

/// DLA with the examination of each displayed position.
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
