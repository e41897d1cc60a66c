#pragma once

#include "losses/ranking_loss.h"

namespace ultr {

/// Two towers with additive logits (Yan et al., 2022): sigmoid cross-entropy of r + e, relevance
/// plus the bias logit of the displayed position.
class TwoTowerLoss final : public RankingLoss {
 public:
  explicit TwoTowerLoss(ModelBuilder& build);
  Tensor loss(const Lists& lists) const override;
  /// σ(r + e).
  std::optional<Examination> story(const Session& session) const override;
  bool predicts_clicks() const override { return true; }
  bool maximises_likelihood() const override { return true; }

 private:
  LogitParameter examination_;
};

}  // namespace ultr
