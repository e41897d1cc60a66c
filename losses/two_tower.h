#pragma once

#include "losses/ranking_loss.h"

namespace ultr {

/// A story of clicks with probability σ(relevance + bias), whether or not a document was examined.
Examination additive_clicks(const Session& session, const Logit& relevance, const Logit& bias);

/// Two towers: relevance r of the document, and a bias logit e of the position where it is
/// displayed. The loss is the sigmoid cross-entropy of r + e (additive; Yan et al., 2022), or of
/// clicks with probability σ(e) σ(r) (multiplicative, as in the position-based model).
///
/// Two options counter relevance that the bias tower learns through the logging policy (Zhang et
/// al., 2023). Bias logits may be dropped out in training. An adversary may predict the relevance
/// σ(r), held constant, by σ(a e + b); its reversed gradient removes from e what predicts
/// relevance. The adversary is not part of the loss that is evaluated.
class TwoTowerLoss final : public RankingLoss {
 public:
  explicit TwoTowerLoss(ModelBuilder& build);
  Tensor loss(const Lists& lists) const override;
  /// Clicks with probability σ(r + e), or examination σ(e) and relevance σ(r).
  std::optional<Examination> story(const Session& session) const override;
  bool predicts_clicks() const override { return true; }
  /// False with an adversary.
  bool maximises_likelihood() const override { return reversal_ == 0; }
  std::optional<PositionEffect> position_effect() const override {
    return PositionEffect{examination_, multiplies_ ? PositionEffect::Scale::probability
                                                    : PositionEffect::Scale::logit};
  }

 private:
  Tensor adversary(const Lists& lists, Tensor relevance, Tensor examination) const;

  LogitParameter examination_;
  bool multiplies_;
  double dropout_, reversal_;
  LogitParameter adversary_slope_, adversary_intercept_;  // if reversal_ > 0
};

}  // namespace ultr
