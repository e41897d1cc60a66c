#pragma once

#include "autograd/ops/pairwise.h"
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

/// Computes the ratios by which pairs of the ranker are divided: max(t_k / t_1, 1 / largest_weight)
/// for each document, as constants. t_1 belongs to the first document that the list shows. logits
/// log t: [documents]; first_documents: for each document, the number of its list's first document.
Tensor relative_ratios(Tensor logits, Index first_documents, double largest_weight);

/// Pairwise debiasing (Unbiased LambdaMART; Hu et al., 2019). The ratios t+ and t- of each
/// displayed position are exponentials of parameters and are learned with the ranker, each holding
/// the other constant:
///
/// - The ranker's pairs are divided by ratios relative to the first position, with a limit to the
///   weights of pairs (see relative_ratios). So they are in the formula of Hager et al. (SIGIR
///   2024). Their published code multiplies the gain of each document instead, in the ideal DCG
///   too, by both ratios of its own position, t+_i t-_i, which cancels in lists with a single
///   click.
/// - The ratios' pairs are divided by the ratios themselves, with an L1 penalty of λ (Σ_k t+_k +
///   Σ_k t-_k) per list over all positions, or over the list's documents if a layer computes the
///   ratios document by document. Hu et al. learn them from the pairs of the base loss; Hager et
///   al. from pairs without LambdaRank's weights.
class PairwiseDebiasLoss final : public RankingLoss {
 public:
  explicit PairwiseDebiasLoss(ModelBuilder& build);
  Tensor loss(const Lists& lists) const override;
  std::optional<Tensor> score_curvature(const Lists& lists) const override;
  bool weights_drift() const override { return true; }

 private:
  /// The weights of the ranker's pairs, in which ratios are constants.
  PairWeights ranker_weights(Tensor scores, const Lists& lists) const;

  bool weighted_, normalise_, multiplied_;
  double penalty_, largest_weight_;
  bool ratios_from_weighted_pairs_;
  LogitParameter clicked_ratio_, unclicked_ratio_;
};

}  // namespace ultr
