#pragma once

#include "dsl/click_model.h"

namespace ultr {

/// Simplified dynamic Bayesian network (SDBN; Chapelle & Zhang, 2009). Users go on until a clicked
/// document satisfies them: a DBN with λ = 1.
class SimplifiedDbnModel final : public CascadeModel {
 public:
  explicit SimplifiedDbnModel(ModelBuilder& build);
  Cascade story(const Session& s) const override;
  /// Returns attraction times satisfaction: the probability that the document would satisfy.
  Prob relevance(const Session& s) const override;

 private:
  LogitParameter attraction_, satisfaction_;
};

}  // namespace ultr
