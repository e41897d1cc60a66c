#pragma once

#include "dsl/click_model.h"

namespace ultr {

/// Click chain model (CCM; Guo et al., 2009). A cascade in which the probability of going on
/// depends on what happened: the user skipped the document (τ1), clicked and found it irrelevant
/// (τ2), or clicked and found it relevant (τ3). A clicked document is relevant with its attraction
/// probability, tossed as a second coin.
class ClickChainModel final : public CascadeModel {
 public:
  explicit ClickChainModel(ModelBuilder& build);
  Cascade story(const Session& s) const override;

 private:
  LogitParameter attraction_, after_skip_, after_irrelevant_, after_relevant_;
};

}  // namespace ultr
