#pragma once

#include "models/click_model.h"

namespace ultr {

/// Click chain model (CCM; Guo et al., 2009): a cascade that users leave with a probability that
/// depends on whether they skipped (τ1), or clicked and then found the document irrelevant (τ2) or
/// relevant (τ3). That a clicked document is relevant is a second coin of its attraction.
class ClickChainModel final : public CascadeModel {
 public:
  explicit ClickChainModel(ModelBuilder& build);
  Cascade story(const Session& s) const override;

 private:
  LogitParameter attraction_, after_skip_, after_irrelevant_, after_relevant_;
};

}  // namespace ultr
