#pragma once

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/dropout.h"
#include "autograd/ops/logspace.h"
#include "losses/pointwise.h"
#include "losses/position_based.h"
#include "losses/ranking_loss.h"

namespace ultr {

/// A story of clicks with probability σ(relevance + bias), whether or not a document was examined.
inline Examination additive_clicks(const Session& session, const Logit& relevance,
                                   const Logit& bias) {
  return {.examination = session.always(), .attraction = sigmoid(relevance + bias)};
}

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
  explicit TwoTowerLoss(ModelBuilder& build)
      : RankingLoss(build),
        examination_(build.parameter("examination", Domain::rank, "Bias logit of each rank, e.")),
        multiplies_(build.word("combination", "additive", {"additive", "multiplicative"},
                               "Probability of clicks: σ(r + e), or σ(e) σ(r).") ==
                    "multiplicative"),
        dropout_(build.number("bias_dropout", 0, between(0, 0.99),
                              "Share of bias logits that training replaces by 0.")),
        reversal_(build.number("gradient_reversal", 0, at_least(0),
                               "Weight of the reversed gradient of an adversary that predicts "
                               "relevance from e; 0: no adversary.")) {
    if (build.setting() != nullptr && reversal_ == 0) return;
    const auto of_adversary = [&](const char* name, const char* help) {
      return build.parameter(name, Domain::global, help, ClickEffect::none);
    };
    adversary_slope_ =
        of_adversary("adversary_slope", "Factor by which the adversary multiplies e.");
    adversary_intercept_ =
        of_adversary("adversary_intercept", "Number that the adversary adds to the product.");
  }
  Tensor loss(const Lists& lists) const override {
    const Tensor r = scores(lists);
    const Tensor e = bias(lists);
    const Segments segments = lists.segments();
    const Tensor clicks = multiplies_ ? position_based_loss(r, e, lists.targets(), segments)
                                      : pointwise_loss(r + e, lists.targets(), segments);
    return reversal_ > 0 && lists.in_training()
               ? clicks + adversary(lists, r, lists.logits(examination_))
               : clicks;
  }
  std::optional<Tensor> score_curvature(const Lists& lists) const override {
    const Tensor r = scores(lists);
    return multiplies_ ? position_based_curvature(r) : pointwise_curvature(r + bias(lists));
  }
  /// Clicks with probability σ(r + e), or examination σ(e) and relevance σ(r).
  std::optional<Examination> story(const Session& session) const override {
    if (multiplies_)
      return Examination{.examination = examination_(session), .attraction = relevance(session)};
    return additive_clicks(session, score(session), examination_.logit(session));
  }
  bool predicts_clicks() const override { return true; }
  /// False with an adversary.
  bool maximises_likelihood() const override { return reversal_ == 0; }
  std::optional<PositionEffect> position_effect() const override {
    return PositionEffect{examination_, multiplies_ ? PositionEffect::Scale::probability
                                                    : PositionEffect::Scale::logit};
  }

 private:
  /// Bias logits, some of which training drops.
  Tensor bias(const Lists& lists) const {
    const Tensor e = lists.logits(examination_);
    const auto noise = lists.session().noise();
    return noise && dropout_ > 0 ? dropout(e, dropout_, *noise, bias_dropout_salt) : e;
  }
  Tensor adversary(const Lists& lists, Tensor relevance, Tensor examination) const {
    const Tensor guess = lists.logits(adversary_slope_) * reverse_gradient(examination, reversal_) +
                         lists.logits(adversary_intercept_);
    return pointwise_loss(guess, stop_gradient(sigmoid(relevance)), lists.segments());
  }

  /// Distinguishes the dropout of the bias logit from that of towers, whose salts count from 0.
  static constexpr std::uint32_t bias_dropout_salt = (1u << 27) - 1;

  LogitParameter examination_;
  bool multiplies_;
  double dropout_, reversal_;
  LogitParameter adversary_slope_, adversary_intercept_;  // if reversal_ > 0
};

}  // namespace ultr
