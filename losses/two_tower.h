#pragma once

#include "losses/ranking_loss.h"

namespace ultr {

/// Clicks with probability σ(r + e), whether or not a document was examined.
Examination additive_clicks(const Session& session, const Logit& relevance, const Logit& bias);

/// Two towers: relevance r of the document, and a bias logit e of where it is displayed. Sigmoid
/// cross-entropy of r + e (additive, Yan et al., 2022), or of clicks with probability σ(e) σ(r)
/// (multiplicative, as in the position-based model).
///
/// Against relevance that the bias tower learns through the logging policy (Zhang et al., 2023):
/// e may be dropped out while training; and an adversary may predict the relevance σ(r), held
/// constant, from e by σ(a e + b), whose reversed gradient takes from e what tells of relevance. It
/// is no part of the loss that is evaluated.
class TwoTowerLoss final : public RankingLoss {
 public:
  explicit TwoTowerLoss(ModelBuilder& build);
  Tensor loss(const Lists& lists) const override;
  /// σ(r + e), or σ(e) σ(r).
  std::optional<Examination> story(const Session& session) const override;
  bool predicts_clicks() const override { return true; }
  /// Not beside an adversary.
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
