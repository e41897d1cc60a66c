#pragma once

#include <vector>

#include "losses/ranking_loss.h"

namespace ultr {

/// Two towers with the backdoor adjustment of Luo et al. (2024), as de Haan and Hager (2024) use
/// it, against a bias tower that learns the relevance by which the logging policy ranked. Trained
/// in stages, each with what the earlier ones left as constants:
///
///   estimate  a confounded examination ê_k, by two towers with additive logits, as σ of the bias
///             logit, or by the dual learning algorithm, relative to the list's first document;
///   policy    a tower that reproduces the logged order: a softmax loss on 1/k for the displayed
///             position k; z is what it makes its logit of, the score itself if it is no tower;
///   bias      e_k and w so that σ(e_k + w·z) fits ê_k, by sigmoid cross-entropy: what the policy
///             explains of ê goes to w;
///   and last  relevance r of two towers with click probability σ(r + e_k).
class BackdoorLoss final : public RankingLoss {
 public:
  explicit BackdoorLoss(ModelBuilder& build);
  Tensor loss(const Lists& lists) const override;
  /// σ(r + e).
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
