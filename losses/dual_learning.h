#pragma once

#include <cmath>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/gather.h"
#include "autograd/tape/tape.h"
#include "losses/ranking_loss.h"
#include "losses/softmax.h"

namespace ultr {

/// The usual upper limit of click weights (Hager et al., SIGIR 2024).
inline constexpr double usual_largest_weight = 10;

/// Computes the weights that one half of the dual learning algorithm gives the other, as constants:
/// min(p_1 / p_k, largest), where p = softmax(x) within a list and p_1 belongs to the first
/// document that the list shows. logits x: [documents]; first_documents: for each document, the
/// number of its list's first document; result: [documents].
inline Tensor dual_learning_weights(Tensor logits, Index first_documents, double largest) {
  // The softmax's denominator cancels: p_1 / p_k = e^(x_1 - x_k).
  const Tensor log_ratio = take(logits, first_documents) - logits;
  return stop_gradient(exp(minimum(log_ratio, logits.tape().constant(std::log(largest)))));
}

/// Computes the loss of the dual learning algorithm (DLA; Ai et al., 2018): the softmax loss of
/// relevance with clicks weighted by inverse examination, plus the softmax loss of examination with
/// clicks weighted by inverse relevance (see softmax_loss and dual_learning_weights).
/// relevance, examination (logits), clicks: [documents]; result: [lists].
inline Tensor dual_learning_loss(Tensor relevance, Tensor examination, Tensor clicks,
                                 Segments lists, Index first_documents,
                                 double largest_weight = 10) {
  const auto weights = [&](Tensor logits) {
    return dual_learning_weights(logits, first_documents, largest_weight);
  };
  return softmax_loss(relevance, clicks, lists, weights(examination)) +
         softmax_loss(examination, clicks, lists, weights(relevance));
}

/// Computes bounds on the second derivatives of dual_learning_loss in relevance: those of its first
/// softmax loss, with weights held constant (see softmax_curvature).
inline Tensor dual_learning_curvature(Tensor relevance, Tensor examination, Tensor clicks,
                                      Segments lists, Index first_documents, Index list_numbers,
                                      double largest_weight = 10) {
  return softmax_curvature(relevance, clicks, lists, list_numbers,
                           dual_learning_weights(examination, first_documents, largest_weight));
}

/// DLA that learns the examination of each displayed position.
class DualLearningLoss final : public RankingLoss {
 public:
  explicit DualLearningLoss(ModelBuilder& build)
      : RankingLoss(build),
        examination_(
            build.parameter("examination", Domain::rank, "Examination logit of each rank, e.")),
        largest_weight_(build.number("max_weight", usual_largest_weight, above(0),
                                     "Upper limit of click weights.")) {}
  Tensor loss(const Lists& lists) const override {
    return dual_learning_loss(scores(lists), lists.logits(examination_), lists.targets(),
                              lists.segments(), lists.first_documents(), largest_weight_);
  }
  std::optional<Tensor> score_curvature(const Lists& lists) const override {
    return dual_learning_curvature(scores(lists), lists.logits(examination_), lists.targets(),
                                   lists.segments(), lists.first_documents(), lists.list_numbers(),
                                   largest_weight_);
  }
  bool weights_drift() const override { return true; }
  std::optional<PositionEffect> position_effect() const override {
    return PositionEffect{examination_, PositionEffect::Scale::log_propensity};
  }

 private:
  LogitParameter examination_;
  double largest_weight_;
};

}  // namespace ultr
