#pragma once

#include "dsl/click_model.h"

namespace ultr {

/// Cascade model (CM; Craswell et al., 2008). Users read down the list and stop at the first
/// document that attracts them. A second click is impossible under the model; training and metrics
/// give it the log probability min_log_prob.
class CascadeClickModel final : public CascadeModel {
 public:
  explicit CascadeClickModel(ModelBuilder& build);
  Cascade story(const Session& s) const override;

 private:
  LogitParameter attraction_;
};

}  // namespace ultr
