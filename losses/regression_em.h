#pragma once

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/logspace.h"
#include "autograd/ops/segments.h"
#include "losses/pointwise.h"
#include "losses/ranking_loss.h"

namespace ultr {

/// Computes the loss of RegressionEM (Wang et al., 2018): the sigmoid cross-entropy of examination
/// and of relevance, with their posteriors given the click as constant targets. For each list
///
///     Σ_i BCE(e_i; c_i + (1 - c_i) ē_i) + BCE(r_i; c_i + (1 - c_i) r̄_i)
///
/// where ē = P(examined | no click) = σ(e - softplus(r)) and r̄ = P(relevant | no click) = σ(r -
/// softplus(e)). relevance r, examination e (logits), clicks c (in [0, 1]): [documents]; result:
/// [lists].
inline Tensor regression_em_loss(Tensor relevance, Tensor examination, Tensor clicks,
                                 Segments lists) {
  const auto cross_entropy = [&](Tensor x, Tensor other) {
    return (1 - clicks) * posterior_cross_entropy(x, x, other) - clicks * log_sigmoid(x);
  };
  return segment_sum(cross_entropy(examination, relevance) + cross_entropy(relevance, examination),
                     lists);
}

/// RegressionEM that learns the examination of each displayed position.
class RegressionEmLoss final : public RankingLoss {
 public:
  explicit RegressionEmLoss(ModelBuilder& build)
      : RankingLoss(build),
        examination_(
            build.parameter("examination", Domain::rank, "Examination logit of each rank, e.")) {}
  Tensor loss(const Lists& lists) const override {
    return regression_em_loss(scores(lists), lists.logits(examination_), lists.targets(),
                              lists.segments());
  }
  /// Those of a cross-entropy with constant targets.
  std::optional<Tensor> score_curvature(const Lists& lists) const override {
    return pointwise_curvature(scores(lists));
  }
  /// Examination σ(e), and clicks on examined documents with probability σ(r).
  std::optional<Examination> story(const Session& session) const override {
    return Examination{.examination = examination_(session), .attraction = relevance(session)};
  }
  bool predicts_clicks() const override { return true; }
  std::optional<PositionEffect> position_effect() const override {
    return PositionEffect{examination_, PositionEffect::Scale::probability};
  }

 private:
  LogitParameter examination_;
};

}  // namespace ultr
