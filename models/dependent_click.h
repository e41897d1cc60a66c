#pragma once

#include "dsl/click_model.h"

namespace ultr {

/// Dependent click model (DCM; Guo et al., 2009). A cascade whose users go on after a click at rank
/// k with probability λ_k, and always after a skip.
class DependentClickModel final : public CascadeModel {
 public:
  explicit DependentClickModel(ModelBuilder& build)
      : attraction_(build.parameter("attraction", Domain::document,
                                    "Attraction of each query-document pair, γ.")),
        continuation_(build.parameter("continuation", Domain::rank,
                                      "Probability of going on after a click at each rank, λ.")) {}
  Cascade story(const Session& s) const override {
    return {
        .attraction = attraction_(s), .after_click = continuation_(s), .after_skip = s.always()};
  }

 private:
  LogitParameter attraction_, continuation_;
};

}  // namespace ultr
