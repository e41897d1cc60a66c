#pragma once

#include "dsl/click_model.h"

namespace ultr {

/// Cascade model (CM; Craswell et al., 2008). Users read down the list and stop at the first
/// document that attracts them. A second click is impossible under the model; training and metrics
/// give it the log probability min_log_prob.
class CascadeClickModel final : public CascadeModel {
 public:
  explicit CascadeClickModel(ModelBuilder& build)
      : attraction_(build.parameter("attraction", Domain::document,
                                    "Attraction of each query-document pair, γ.")) {}
  Cascade story(const Session& s) const override {
    return {.attraction = attraction_(s), .after_click = s.never(), .after_skip = s.always()};
  }

 private:
  LogitParameter attraction_;
};

}  // namespace ultr
