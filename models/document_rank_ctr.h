#pragma once

#include "dsl/click_model.h"

namespace ultr {

/// Document- and rank-based click-through rate (DRCTR; Chuklin et al., 2015). A document is clicked
/// with the probability γ_{d,k} of its query-document pair at its rank.
class DocumentRankCtrModel final : public ExaminationModel {
 public:
  explicit DocumentRankCtrModel(ModelBuilder& build)
      : attraction_(build.parameter("attraction", Domain::document_rank,
                                    "Click rate of each query-document pair at each rank, γ.")) {}
  Examination story(const Session& s) const override {
    return {.examination = s.always(), .attraction = attraction_(s)};
  }

 private:
  LogitParameter attraction_;
};

}  // namespace ultr
