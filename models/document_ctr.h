#pragma once

#include "dsl/click_model.h"

namespace ultr {

/// Document-based click-through rate (DCTR, thesis 5.A.3). A document is clicked with the
/// probability γ_d of its query-document pair.
class DocumentCtrModel final : public ExaminationModel {
 public:
  explicit DocumentCtrModel(ModelBuilder& build)
      : attraction_(build.parameter("attraction", Domain::document,
                                    "Click rate of each query-document pair, γ.")) {}
  Examination story(const Session& s) const override {
    return {.examination = s.always(), .attraction = attraction_(s)};
  }

 private:
  LogitParameter attraction_;
};

}  // namespace ultr
