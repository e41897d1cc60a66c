#pragma once

#include "dsl/click_model.h"

namespace ultr {

/// Dynamic Bayesian network (DBN; Chapelle & Zhang, 2009). Users read down the list, click
/// documents that attract them (γ), stop if a clicked document satisfies them (σ), and otherwise go
/// on with probability λ.
class DynamicBayesianNetworkModel final : public CascadeModel {
 public:
  explicit DynamicBayesianNetworkModel(ModelBuilder& build);
  Cascade story(const Session& s) const override;
  /// Returns attraction times satisfaction: the probability that the document would satisfy.
  Prob relevance(const Session& s) const override;

 private:
  LogitParameter attraction_, satisfaction_, continuation_;
};

}  // namespace ultr
