#pragma once

#include "dsl/click_model.h"

namespace ultr {

/// Position-based model of users whose skips are known. Examination depends on the rank and on
/// whether the document directly above was skipped, s = 1, or not: P(C_k = 1) = θ_{k,s} γ_d. A user
/// who passed over the document above is still reading. A skip of the document itself is no input:
/// a document is skipped only if it is not clicked.
class SkippedPbmModel final : public ExaminationModel {
 public:
  explicit SkippedPbmModel(ModelBuilder& build)
      : examination_(build.parameter(
            "examination", Domain::rank_skipped,
            "Examination of each rank if the document above was skipped, and if not, θ.")),
        attraction_(build.parameter("attraction", Domain::document,
                                    "Attraction of each query-document pair, γ.")) {}
  Examination story(const Session& s) const override {
    return {.examination = examination_(s), .attraction = attraction_(s)};
  }

 private:
  LogitParameter examination_, attraction_;
};

}  // namespace ultr
