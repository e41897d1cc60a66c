#pragma once

#include <optional>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/gather.h"
#include "dsl/click_model.h"

namespace ultr {

/// Two-tower model with additive logits (Yan et al., 2022): P(C_k = 1) = σ(θ_k + γ_d).
class TwoTowerModel final : public ExaminationModel {
 public:
  explicit TwoTowerModel(ModelBuilder& build)
      : examination_(build.parameter("examination", Domain::rank, "Bias logit of each rank, θ.")),
        attraction_(build.parameter("attraction", Domain::document,
                                    "Relevance logit of each query-document pair, γ.")) {}
  Examination story(const Session& s) const override {
    const Prob click = sigmoid(examination_.logit(s) + attraction_.logit(s));
    return {.examination = s.always(), .attraction = click};
  }
  /// σ(θ_k + γ_d) (1 - σ(θ_k + γ_d)) of each document, which is exact.
  std::optional<Tensor> curvature(const Session& s, const LogitLayer& layer) const override {
    if (&layer != attraction_.layer().get()) return std::nullopt;
    const Prob click = story(s).attraction;
    return take(click.value() * (!click).value(), s.inputs().lists().order());
  }
  /// Returns σ(γ_d), the output of the relevance tower alone.
  Prob relevance(const Session& s) const override { return attraction_(s); }
  std::optional<PositionEffect> position_effect() const override {
    return PositionEffect{examination_, PositionEffect::Scale::logit};
  }

 private:
  LogitParameter examination_, attraction_;
};

}  // namespace ultr
