#pragma once

#include "dsl/click_model.h"

namespace ultr {

/// Position-based model (PBM; Richardson et al., 2007; Craswell et al., 2008). Users click what
/// they examine and find attractive; examination depends on the rank alone: P(C_k = 1) = θ_k γ_d.
class PositionBasedModel final : public ExaminationModel {
 public:
  explicit PositionBasedModel(ModelBuilder& build)
      : examination_(build.parameter("examination", Domain::rank, "Examination of each rank, θ.")),
        attraction_(build.parameter("attraction", Domain::document,
                                    "Attraction of each query-document pair, γ.")) {}
  Examination story(const Session& s) const override {
    return {.examination = examination_(s), .attraction = attraction_(s)};
  }
  std::optional<PositionEffect> position_effect() const override {
    return PositionEffect{examination_, PositionEffect::Scale::probability};
  }

 private:
  LogitParameter examination_, attraction_;
};

}  // namespace ultr
