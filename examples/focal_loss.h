#pragma once

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/logspace.h"
#include "autograd/ops/segments.h"
#include "losses/ranking_loss.h"

/// Focal loss (Lin et al., 2017) of two towers. Clicks have probability p = σ(r + e), where r is
/// the logit of relevance and e that of the displayed position. Documents that are predicted well
/// count less, by the exponent γ (`focus`):
///
///     -Σ_i [c_i (1 - p_i)^γ log p_i + (1 - c_i) p_i^γ log(1 - p_i)]
///
/// With γ = 0 this is the sigmoid cross-entropy.
class FocalLoss final : public ultr::RankingLoss {
 public:
  explicit FocalLoss(ultr::ModelBuilder& build)
      : RankingLoss(build),
        examination_(build.parameter("examination", ultr::Domain::rank, "Logit of each rank, e.")),
        focus_(build.number("focus", 0, ultr::at_least(0), "Exponent γ; 0: cross-entropy.")) {}

  ultr::Tensor loss(const ultr::Lists& lists) const override {
    const ultr::Tensor x = scores(lists) + lists.logits(examination_), clicks = lists.targets();
    const ultr::Tensor log_p = log_sigmoid(x), log_not = log_one_minus_sigmoid(x);
    const ultr::Tensor of_click = exp(focus_ * log_not) * log_p;
    const ultr::Tensor of_skip = exp(focus_ * log_p) * log_not;
    return -segment_sum(clicks * of_click + (1 - clicks) * of_skip, lists.segments());
  }

  /// Clicks with probability σ(r + e), whether or not the document was examined.
  std::optional<ultr::Examination> story(const ultr::Session& s) const override {
    return ultr::Examination{.examination = s.always(),
                             .attraction = sigmoid(score(s) + examination_.logit(s))};
  }
  bool predicts_clicks() const override { return true; }
  bool maximises_likelihood() const override { return focus_ == 0; }

 private:
  ultr::LogitParameter examination_;
  double focus_;
};
