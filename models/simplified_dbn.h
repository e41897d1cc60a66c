#pragma once

#include "dsl/click_model.h"

namespace ultr {

/// Simplified dynamic Bayesian network (SDBN; Chapelle & Zhang, 2009). Users go on until a clicked
/// document satisfies them: a DBN with λ = 1.
class SimplifiedDbnModel final : public CascadeModel {
 public:
  explicit SimplifiedDbnModel(ModelBuilder& build)
      : attraction_(build.parameter("attraction", Domain::document,
                                    "Attraction of each query-document pair, γ.")),
        satisfaction_(build.parameter("satisfaction", Domain::document,
                                      "Satisfaction by each query-document pair after a click, σ.",
                                      ClickEffect::lowers)) {}
  Cascade story(const Session& s) const override {
    return {
        .attraction = attraction_(s), .after_click = !satisfaction_(s), .after_skip = s.always()};
  }
  /// Returns attraction times satisfaction: the probability that the document would satisfy.
  Prob relevance(const Session& s) const override { return attraction_(s) * satisfaction_(s); }

 private:
  LogitParameter attraction_, satisfaction_;
};

}  // namespace ultr
