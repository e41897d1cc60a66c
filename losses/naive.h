#pragma once

#include <string>

#include "losses/ranking_loss.h"

namespace ultr {

/// A ranking loss on raw clicks, as if they were relevance: the baseline that unbiased losses are
/// compared with. The base loss is sigmoid cross-entropy, softmax cross-entropy, logistic pairs
/// (RankNet; Burges et al., 2005) or LambdaRank.
class NaiveLoss final : public RankingLoss {
 public:
  explicit NaiveLoss(ModelBuilder& build);
  Tensor loss(const Lists& lists) const override;
  /// Clicks with probability σ(r). Empty unless the base is pointwise.
  std::optional<Examination> story(const Session& session) const override;
  bool predicts_clicks() const override { return base_ == "pointwise"; }
  Targets targets() const override {
    return base_ == "pointwise" ? Targets::rates : Targets::grades;
  }
  bool maximises_likelihood() const override { return predicts_clicks(); }

 private:
  std::string base_;
  bool normalise_;
};

}  // namespace ultr
