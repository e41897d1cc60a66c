#pragma once

#include <optional>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/gather.h"
#include "dsl/click_model.h"

namespace ultr {

/// Dynamic Bayesian network of users whose dwell times are known. A DBN in which satisfaction by a
/// clicked document also depends on how long the user stayed on it: σ_d(t) = σ(s_d + w_c(t)), with
/// a logit s_d of the query-document pair and one, w_c, of each class of dwell times (see
/// Inputs::index). Documents without a known dwell time have a class of their own.
class DwellDbnModel final : public CascadeModel {
 public:
  explicit DwellDbnModel(ModelBuilder& build)
      : attraction_(build.parameter("attraction", Domain::document,
                                    "Attraction of each query-document pair, γ.")),
        satisfaction_(build.parameter("satisfaction", Domain::document,
                                      "Satisfaction by each query-document pair after a click, "
                                      "apart from dwell time, σ.",
                                      ClickEffect::lowers)),
        dwell_(build.parameter("dwell", Domain::dwell,
                               "Logit that each class of dwell times adds to satisfaction, w.",
                               ClickEffect::none)),
        continuation_(build.parameter("continuation", Domain::global,
                                      "Probability of going on unless satisfied, λ.")) {}
  Cascade story(const Session& s) const override {
    const Prob go_on = continuation_(s);
    return {
        .attraction = attraction_(s), .after_click = go_on * !satisfied(s), .after_skip = go_on};
  }
  /// σ_d(t) (1 - σ_d(t)) of each document for the logits s_d, which are not those of the coin.
  std::optional<Tensor> curvature(const Session& s, const LogitLayer& layer) const override {
    if (&layer != satisfaction_.layer().get()) return std::nullopt;
    const Prob satisfaction = satisfied(s);
    return take(satisfaction.value() * (!satisfaction).value(), s.inputs().lists().order());
  }
  /// Returns attraction times satisfaction apart from dwell time, which is unknown before a click.
  Prob relevance(const Session& s) const override { return attraction_(s) * satisfaction_(s); }

 private:
  Prob satisfied(const Session& s) const {
    return sigmoid(satisfaction_.logit(s) + dwell_.logit(s));
  }

  LogitParameter attraction_, satisfaction_, dwell_, continuation_;
};

}  // namespace ultr
