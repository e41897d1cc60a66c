#pragma once

#include "models/click_model.h"

namespace ultr {

/// Dynamic Bayesian network (DBN; Chapelle & Zhang, 2009): users read down the list, click what
/// attracts them (γ), stop when satisfied (σ), else go on with probability λ.
class DynamicBayesianNetworkModel final : public CascadeModel {
 public:
  explicit DynamicBayesianNetworkModel(ModelBuilder& build);
  Cascade story(const Session& s) const override;
  /// Attraction times satisfaction: the probability that the document would satisfy.
  Prob relevance(const Session& s) const override;

 private:
  LogitParameter attraction_, satisfaction_, continuation_;
};

}  // namespace ultr
