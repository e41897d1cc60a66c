#pragma once

#include "dsl/click_model.h"

namespace ultr {

/// Document-based click-through rate (DCTR, thesis 5.A.3). A document is clicked with the
/// probability γ_d of its query-document pair.
class DocumentCtrModel final : public ExaminationModel {
 public:
  explicit DocumentCtrModel(ModelBuilder& build);
  Examination story(const Session& s) const override;

 private:
  LogitParameter attraction_;
};

}  // namespace ultr
