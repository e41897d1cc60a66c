#pragma once

#include <optional>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/gather.h"
#include "dsl/click_model.h"

namespace ultr {

/// Click chain model (CCM; Guo et al., 2009). A cascade in which the probability of going on
/// depends on what happened: the user skipped the document (τ1), clicked and found it irrelevant
/// (τ2), or clicked and found it relevant (τ3). A clicked document is relevant with its attraction
/// probability, tossed as a second coin.
class ClickChainModel final : public CascadeModel {
 public:
  explicit ClickChainModel(ModelBuilder& build)
      : attraction_(build.parameter("attraction", Domain::document,
                                    "Attraction of each query-document pair, γ.")),
        after_skip_(build.parameter("after_skip", Domain::global,
                                    "Probability of going on after a skip, τ1.")),
        after_irrelevant_(build.parameter(
            "after_irrelevant", Domain::global,
            "Probability of going on after a click on an irrelevant document, τ2.")),
        after_relevant_(
            build.parameter("after_relevant", Domain::global,
                            "Probability of going on after a click on a relevant document, τ3.")) {}
  Cascade story(const Session& s) const override {
    const Prob attraction = attraction_(s);
    return {.attraction = attraction,
            .after_click = mix(attraction, after_relevant_(s), after_irrelevant_(s)),
            .after_skip = after_skip_(s)};
  }
  /// (1 + c_k) σ(γ_d) (1 - σ(γ_d)), where c_k is 1 for a click: a clicked document tosses its coin
  /// twice. Coins that nobody sees only lower the second derivatives.
  std::optional<Tensor> curvature(const Session& s, const LogitLayer& layer) const override {
    if (&layer != attraction_.layer().get()) return std::nullopt;
    ListInputs& lists = s.inputs().lists();
    const Prob attraction = attraction_(s);
    return (1 + lists.targets()) * take(attraction.value() * (!attraction).value(), lists.order());
  }

 private:
  LogitParameter attraction_, after_skip_, after_irrelevant_, after_relevant_;
};

}  // namespace ultr
