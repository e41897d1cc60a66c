#pragma once

#include "dsl/click_model.h"

namespace ultr {

/// Global click-through rate (GCTR, thesis 5.A.1). Every document is clicked with the same
/// probability ρ.
class GlobalCtrModel final : public ExaminationModel {
 public:
  explicit GlobalCtrModel(ModelBuilder& build);
  Examination story(const Session& s) const override;

 private:
  LogitParameter click_;
};

}  // namespace ultr
