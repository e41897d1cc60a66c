#pragma once

#include <string>

#include "losses/ranking_loss.h"

namespace ultr {

/// The ratios by which pairwise debiasing divides pairs: t+ of the clicked document's position, and
/// t- of the other document's. Both are above 0 and have a gradient: [documents].
struct PairRatios {
  Tensor clicked, unclicked;
};

/// Computes the logistic loss on pairs of clicked and other documents, divided by the ratios of
/// their positions: for each list
///
///     Σ log(1 + e^-(r_i - r_j)) / (t+_i t-_j)     over its pairs with clicks_i > clicks_j.
///
/// scores r, clicks: [documents]; result: [lists].
Tensor debiased_pairwise_loss(Tensor scores, Tensor clicks, Segments lists,
                              const PairRatios& ratios);
/// Computes the LambdaRank loss with pairs divided by ratios in the same way (see lambdarank_loss).
Tensor debiased_lambdarank_loss(Tensor scores, Tensor clicks, Segments lists, bool normalise,
                                const PairRatios& ratios);

/// Pairwise debiasing (Unbiased LambdaMART; Hu et al., 2019). The ratios t+ and t- of each
/// displayed position are exponentials of parameters and are learned with the ranker. Each list's
/// loss has an L1 penalty λ (Σ_k t+_k + Σ_k t-_k) over all positions, or over the list's documents
/// if a layer computes the ratios document by document.
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
