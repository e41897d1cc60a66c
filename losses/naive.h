#pragma once

#include <string>

#include "losses/lambdarank.h"
#include "losses/pointwise.h"
#include "losses/ranking_loss.h"
#include "losses/softmax.h"

namespace ultr {

/// A ranking loss on raw clicks, as if they were relevance: the baseline that unbiased losses are
/// compared with. The base loss is sigmoid cross-entropy, softmax cross-entropy, logistic pairs
/// (RankNet; Burges et al., 2005) or LambdaRank.
class NaiveLoss final : public RankingLoss {
 public:
  explicit NaiveLoss(ModelBuilder& build)
      : RankingLoss(build),
        base_(build.word("base", "pointwise", {"pointwise", "softmax", "pairwise", "lambdarank"},
                         "Loss that is computed on the raw clicks.")),
        normalise_(build.boolean(
            "normalise", true, "Divide lambdarank's loss of each list by the list's ideal DCG.")) {}
  Tensor loss(const Lists& lists) const override {
    const Tensor r = scores(lists), clicks = lists.targets();
    const Segments segments = lists.segments();
    if (base_ == "pointwise") return pointwise_loss(r, clicks, segments);
    if (base_ == "softmax") return softmax_loss(r, clicks, segments);
    if (base_ == "pairwise") return pairwise_logistic(r, clicks, segments);
    return lambdarank_loss(r, clicks, segments, normalise_);
  }
  std::optional<Tensor> score_curvature(const Lists& lists) const override {
    const Tensor r = scores(lists), clicks = lists.targets();
    const Segments segments = lists.segments();
    if (base_ == "pointwise") return pointwise_curvature(r);
    if (base_ == "softmax") return softmax_curvature(r, clicks, segments, lists.list_numbers());
    if (base_ == "pairwise") return pairs_curvature(r, clicks, segments);
    return lambdarank_curvature(r, clicks, segments, lists.list_numbers(), normalise_,
                                lambdarank_weights(r, clicks, segments));
  }
  /// Clicks with probability σ(r). Empty unless the base is pointwise.
  std::optional<Examination> story(const Session& session) const override {
    if (!predicts_clicks()) return std::nullopt;
    return Examination{.examination = session.always(), .attraction = relevance(session)};
  }
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
