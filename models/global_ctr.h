#pragma once

#include "dsl/click_model.h"

namespace ultr {

/// Global click-through rate (GCTR, thesis 5.A.1). Every document is clicked with the same
/// probability ρ.
class GlobalCtrModel final : public ExaminationModel {
 public:
  explicit GlobalCtrModel(ModelBuilder& build)
      : click_(build.parameter("click", Domain::global, "Click rate of all documents, ρ.")) {}
  Examination story(const Session& s) const override {
    return {.examination = s.always(), .attraction = click_(s)};
  }

 private:
  LogitParameter click_;
};

}  // namespace ultr
