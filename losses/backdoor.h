#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "losses/ranking_loss.h"

namespace ultr {

/// Two towers with the backdoor adjustment of Luo et al. (2024), in the form of de Haan and Hager
/// (2024). The adjustment counters a bias tower that learns the relevance by which the logging
/// policy ranked. Training has four stages. Each of them holds the results of earlier ones
/// constant.
///
/// - estimate: a confounded examination logit e_k, that of two towers with additive logits or of
///   the dual learning algorithm.
/// - policy: a tower f(c(x)) that reproduces the logged order (LoggedOrderLoss). c is its first
///   affine layer.
/// - bias: encodings p(k) of positions such that s(x, k) = f(c(x) + p(k)) reproduces e_k or, as in
///   the code of de Haan and Hager, the propensity e^(e_k - e_1), by the attention rank loss. The
///   part that f(c(x)) explains is not left to p. Propensities differ by less than 1, so that s
///   then spans less than most biases do.
/// - Last, the model itself: relevance r by the base loss of r(x) + s(x, k).
///
/// The bias of a rank is s(x, k) averaged over documents x (Luo et al., section 4.2).
class BackdoorLoss final : public RankingLoss {
 public:
  explicit BackdoorLoss(ModelBuilder& build);
  Tensor loss(const Lists& lists) const override;
  std::optional<Tensor> score_curvature(const Lists& lists) const override;
  /// Clicks with probability σ(r + s). Empty unless the base is pointwise.
  std::optional<Examination> story(const Session& session) const override;
  bool predicts_clicks() const override { return base_ == "pointwise"; }
  bool maximises_likelihood() const override { return predicts_clicks(); }
  std::optional<PositionEffect> position_effect() const override {
    return PositionEffect{examination_, PositionEffect::Scale::logit};
  }
  std::vector<TrainingStage> stages() const override;

 private:
  class EstimateStage;
  class BiasStage;

  bool by_dual_learning_, reproduces_propensities_;
  std::string base_;
  LogitParameter estimated_relevance_, estimated_examination_, policy_, position_encoding_;
  LogitParameter examination_;  // the mean of position_encoding_'s logits at each rank
  std::int64_t positions_ = 0;  // displayed, of the data
};

}  // namespace ultr
