#pragma once

#include "dsl/click_model.h"

namespace ultr {

/// Position-based model of users whose viewport is known (Hager, 2025, section 6.2: impressions
/// spare a model the guess of what users examined). Examination depends on the rank and on whether
/// the document was viewed, v = 1 or 0: P(C_k = 1) = θ_{k,v} γ_d. θ_{k,0} is learned, too, since
/// logs also have clicks on documents that they hold unseen.
class ViewedPbmModel final : public ExaminationModel {
 public:
  explicit ViewedPbmModel(ModelBuilder& build)
      : examination_(
            build.parameter("examination", Domain::rank_viewed,
                            "Examination of each rank if the document was viewed, and if not, θ.")),
        attraction_(build.parameter("attraction", Domain::document,
                                    "Attraction of each query-document pair, γ.")) {}
  Examination story(const Session& s) const override {
    return {.examination = examination_(s), .attraction = attraction_(s)};
  }

 private:
  LogitParameter examination_, attraction_;
};

}  // namespace ultr
