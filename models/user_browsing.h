#pragma once

#include "dsl/click_model.h"

namespace ultr {

/// User browsing model (UBM; Dupret & Piwowarski, 2008). A position-based model whose examination
/// depends on the rank k and on the rank k' of the last click above: P(C_k = 1 | k') = θ_{k,k'}
/// γ_d.
class UserBrowsingModel final : public ExaminationModel {
 public:
  explicit UserBrowsingModel(ModelBuilder& build)
      : examination_(build.parameter("examination", Domain::rank_pair,
                                     "Examination of each rank given the last click's, θ.")),
        attraction_(build.parameter("attraction", Domain::document,
                                    "Attraction of each query-document pair, γ.")) {}
  Examination story(const Session& s) const override {
    return {.examination = examination_(s), .attraction = attraction_(s)};
  }

 private:
  LogitParameter examination_, attraction_;
};

}  // namespace ultr
