#include "losses/affine.h"

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/gather.h"
#include "autograd/ops/segments.h"
#include "dsl/model_setting.h"
#include "losses/pointwise.h"

namespace ultr {

Tensor linear_softmax_loss(Tensor scores, Tensor targets, Segments lists) {
  return -segment_sum(targets * segment_log_softmax(scores, lists), lists);
}

/// Fits the direct relevance by the likelihood of clicks, and α and β with it if they are learned.
class AffineLoss::DirectStage final : public RankingLoss {
 public:
  explicit DirectStage(const AffineLoss& of) : RankingLoss(of.bias_.direct_relevance()), of_(of) {}

  Tensor loss(const Lists& lists) const override { return of_.bias_.loss(lists); }
  /// Those of the loss if it were known which documents are relevant.
  std::optional<Tensor> score_curvature(const Lists& lists) const override {
    return pointwise_curvature(scores(lists));
  }
  std::optional<Examination> story(const Session& session) const override {
    return of_.bias_.story(session, relevance(session));
  }
  bool predicts_clicks() const override { return true; }
  bool maximises_likelihood() const override { return true; }

 private:
  const AffineLoss& of_;
};

AffineLoss::AffineLoss(ModelBuilder& build, bool needs_direct)
    : RankingLoss(build),
      base_(build.word("base", "pointwise", {"pointwise", "softmax"},
                       "Loss that is computed on corrected clicks.")),
      clip_(build.number("clip", 0.1, at_least(0),
                         "Lower limit of alpha, τ: smaller ones are raised to it; 0: none.")),
      policy_aware_(build.boolean("policy_aware", false,
                                  "Divide by the mean of alpha over the positions at which "
                                  "training sessions show the document.")),
      bias_(build, needs_direct) {
  if (policy_aware_ && build.setting() != nullptr)
    shown_ = std::make_unique<const DisplayPositions>(*build.setting());
}

std::vector<TrainingStage> AffineLoss::stages() const {
  if (!bias_.has_direct()) return {};
  return {{"direct", std::make_shared<DirectStage>(*this), bias_.parameters()}};
}

Tensor AffineLoss::corrected(const Lists& lists, Tensor divisor) const {
  return (lists.targets() - bias_.beta(lists)) / divisor;
}

Tensor AffineLoss::targets_of(const Lists& lists) const {
  const Tensor alpha = shown_ == nullptr ? bias_.alpha(lists) : bias_.mean_alpha(lists, *shown_);
  return stop_gradient(corrected(lists, maximum(alpha, lists.tape().constant(clip_))));
}

Tensor AffineLoss::loss(const Lists& lists) const {
  const Tensor r = scores(lists), y = targets_of(lists);
  return base_ == "softmax" ? linear_softmax_loss(r, y, lists.segments())
                            : pointwise_loss(r, y, lists.segments());
}

std::optional<Tensor> AffineLoss::score_curvature(const Lists& lists) const {
  const Tensor r = scores(lists);
  if (base_ == "pointwise") return pointwise_curvature(r);
  // As softmax_curvature, with s = Σ y. If s is negative, no second derivative is above 0.
  const Tensor sums =
      maximum(segment_sum(targets_of(lists), lists.segments()), lists.tape().constant(0));
  const Tensor log_p = segment_log_softmax(r, lists.segments());
  return -2 * take(sums, lists.list_numbers()) * exp(log_p) * expm1(log_p);
}

std::optional<Examination> AffineLoss::story(const Session& session) const {
  if (!predicts_clicks()) return std::nullopt;
  return bias_.story(session, relevance(session));
}

}  // namespace ultr
