#pragma once

#include "dsl/click_model.h"

namespace ultr {

/// Dynamic Bayesian network (DBN; Chapelle & Zhang, 2009). Users read down the list, click
/// documents that attract them (γ), stop if a clicked document satisfies them (σ), and otherwise go
/// on with probability λ.
class DynamicBayesianNetworkModel final : public CascadeModel {
 public:
  explicit DynamicBayesianNetworkModel(ModelBuilder& build)
      : attraction_(build.parameter("attraction", Domain::document,
                                    "Attraction of each query-document pair, γ.")),
        satisfaction_(build.parameter("satisfaction", Domain::document,
                                      "Satisfaction by each query-document pair after a click, σ.",
                                      ClickEffect::lowers)),
        continuation_(build.parameter("continuation", Domain::global,
                                      "Probability of going on unless satisfied, λ.")) {}
  Cascade story(const Session& s) const override {
    const Prob attraction = attraction_(s), satisfaction = satisfaction_(s),
               go_on = continuation_(s);
    return {.attraction = attraction, .after_click = go_on * !satisfaction, .after_skip = go_on};
  }
  /// Returns attraction times satisfaction: the probability that the document would satisfy.
  Prob relevance(const Session& s) const override { return attraction_(s) * satisfaction_(s); }

 private:
  LogitParameter attraction_, satisfaction_, continuation_;
};

}  // namespace ultr
