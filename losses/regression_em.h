#pragma once

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
Tensor regression_em_loss(Tensor relevance, Tensor examination, Tensor clicks, Segments lists);

/// RegressionEM that learns the examination of each displayed position.
class RegressionEmLoss final : public RankingLoss {
 public:
  explicit RegressionEmLoss(ModelBuilder& build);
  Tensor loss(const Lists& lists) const override;
  /// Examination σ(e), and clicks on examined documents with probability σ(r).
  std::optional<Examination> story(const Session& session) const override;
  bool predicts_clicks() const override { return true; }
  std::optional<PositionEffect> position_effect() const override {
    return PositionEffect{examination_, PositionEffect::Scale::probability};
  }

 private:
  LogitParameter examination_;
};

}  // namespace ultr
