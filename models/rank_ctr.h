#pragma once

#include "dsl/click_model.h"

namespace ultr {

/// Rank-based click-through rate (RCTR, thesis 5.A.2). A document is clicked with the probability
/// θ_k of its rank.
class RankCtrModel final : public ExaminationModel {
 public:
  explicit RankCtrModel(ModelBuilder& build)
      : examination_(build.parameter("examination", Domain::rank, "Click rate of each rank, θ.")) {}
  Examination story(const Session& s) const override {
    return {.examination = examination_(s), .attraction = s.always()};
  }

 private:
  LogitParameter examination_;
};

}  // namespace ultr
