#pragma once

#include "dsl/click_model.h"

namespace ultr {

/// Dependent click model (DCM; Guo et al., 2009). A cascade whose users go on after a click at rank
/// k with probability λ_k, and always after a skip.
class DependentClickModel final : public CascadeModel {
 public:
  explicit DependentClickModel(ModelBuilder& build);
  Cascade story(const Session& s) const override;

 private:
  LogitParameter attraction_, continuation_;
};

}  // namespace ultr
