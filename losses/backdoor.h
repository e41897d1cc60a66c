#pragma once

#include <vector>

#include "losses/ranking_loss.h"

namespace ultr {

/// Two towers with the backdoor adjustment of Luo et al. (2024), in the form of de Haan and Hager
/// (2024). The adjustment counters a bias tower that learns the relevance by which the logging
/// policy ranked. Training has four stages. Each of them holds the results of earlier ones
/// constant.
///
/// - estimate: a confounded examination ê_k. By default it is σ of the bias logit of two towers
///   with additive logits. It may also be the examination of the dual learning algorithm, relative
///   to the list's first document.
/// - policy: a tower that reproduces the logged order, by a softmax loss with label 1/k for
///   displayed position k. z is its representation, or its score if it is no tower.
/// - bias: e_k and w such that σ(e_k + w·z) fits ê_k, by sigmoid cross-entropy. The part of ê that
///   the policy explains goes to w.
/// - Last, the model itself: relevance r of two towers with click probability σ(r + e_k).
class BackdoorLoss final : public RankingLoss {
 public:
  explicit BackdoorLoss(ModelBuilder& build);
  Tensor loss(const Lists& lists) const override;
  /// Clicks with probability σ(r + e).
  std::optional<Examination> story(const Session& session) const override;
  bool predicts_clicks() const override { return true; }
  bool maximises_likelihood() const override { return true; }
  std::optional<PositionEffect> position_effect() const override {
    return PositionEffect{examination_, PositionEffect::Scale::logit};
  }
  std::vector<TrainingStage> stages() const override;

 private:
  class EstimateStage;
  class PolicyStage;
  class BiasStage;

  bool by_dual_learning_;
  LogitParameter estimated_relevance_, estimated_examination_, policy_, examination_,
      policy_effect_;
  std::vector<double> reciprocal_positions_;
};

}  // namespace ultr
