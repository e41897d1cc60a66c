#pragma once

#include <string>

#include "losses/ranking_loss.h"

namespace ultr {

/// The ratios by which pairwise debiasing divides pairs: t+ of the clicked document's position, t-
/// of the other's. Above 0, with gradient. Both [documents].
struct PairRatios {
  Tensor clicked, unclicked;
};

/// Logistic pairs of clicked documents and others, divided by their positions' ratios: for each
/// list Σ log(1 + e^-(r_i - r_j)) / (t+_i t-_j) over its pairs with clicks_i > clicks_j.
/// scores, clicks: [documents]; result: [lists].
Tensor debiased_pairwise_loss(Tensor scores, Tensor clicks, Segments lists,
                              const PairRatios& ratios);
/// The same with LambdaRank's pairs (see lambdarank_loss).
Tensor debiased_lambdarank_loss(Tensor scores, Tensor clicks, Segments lists, bool normalise,
                                const PairRatios& ratios);

/// Pairwise debiasing (Unbiased LambdaMART; Hu et al., 2019): the ratios t+ and t- of each
/// displayed position, the exponentials of parameters, are learned with the ranker. Each list's
/// loss has an L1 penalty on them, λ (Σ_k t+_k + Σ_k t-_k) over all positions; where a layer
/// computes ratios document by document, over the list's documents.
class PairwiseDebiasLoss final : public RankingLoss {
 public:
  explicit PairwiseDebiasLoss(ModelBuilder& build);
  Tensor loss(const Lists& lists) const override;

 private:
  std::string base_;
  bool normalise_;
  double penalty_;
  LogitParameter clicked_ratio_, unclicked_ratio_;
};

}  // namespace ultr
