#include "losses/pairwise_debias.h"

#include "autograd/arithmetic.h"
#include "autograd/reductions.h"
#include "autograd/segments.h"
#include "losses/lambdarank.h"

namespace ultr {
namespace {

/// Adds the inverse ratios of both positions to the weights of pairs.
PairWeights divided(PairWeights weights, const PairRatios& ratios) {
  const Tensor one = ratios.clicked.tape().constant(1);
  weights.winner = one / ratios.clicked;
  weights.loser = one / ratios.unclicked;
  return weights;
}

/// L1 norm of a parameter's ratios: a scalar, or one per list.
Tensor norm(const LogitParameter& ratio, const Lists& lists) {
  const Logits logits = ratio.logits(lists.session());
  if (logits.per_document) return sum(exp(logits.values));
  return segment_sum(exp(lists.logits(ratio)), lists.segments());
}

}  // namespace

Tensor debiased_pairwise_loss(Tensor scores, Tensor clicks, Segments lists,
                              const PairRatios& ratios) {
  return pairwise_logistic(scores, clicks, lists, divided({}, ratios));
}

Tensor debiased_lambdarank_loss(Tensor scores, Tensor clicks, Segments lists, bool normalise,
                                const PairRatios& ratios) {
  const PairWeights weights = divided(lambdarank_weights(scores, clicks, lists), ratios);
  const Tensor loss = pairwise_logistic(scores, clicks, lists, weights);
  return normalise ? divided_by_ideal_dcg(loss, clicks, lists) : loss;
}

PairwiseDebiasLoss::PairwiseDebiasLoss(ModelBuilder& build)
    : RankingLoss(build),
      base_(build.word("base", "lambdarank", {"lambdarank", "pairwise"},
                       "Loss whose pairs are divided by ratios.")),
      normalise_(build.boolean("normalise", true,
                               "Divide lambdarank's loss of each list by the list's ideal DCG.")),
      penalty_(build.number("penalty", 1, at_least(0), "Weight of the L1 norm of ratios, λ.")),
      clicked_ratio_(
          build.parameter("clicked_ratio", Domain::rank, "Logarithm of each rank's ratio t+.")),
      unclicked_ratio_(
          build.parameter("unclicked_ratio", Domain::rank, "Logarithm of each rank's ratio t-.")) {}

Tensor PairwiseDebiasLoss::loss(const Lists& lists) const {
  const Tensor r = scores(lists), clicks = lists.targets();
  const PairRatios ratios = {.clicked = exp(lists.logits(clicked_ratio_)),
                             .unclicked = exp(lists.logits(unclicked_ratio_))};
  const Tensor pairs =
      base_ == "pairwise"
          ? debiased_pairwise_loss(r, clicks, lists.segments(), ratios)
          : debiased_lambdarank_loss(r, clicks, lists.segments(), normalise_, ratios);
  return pairs + (norm(clicked_ratio_, lists) + norm(unclicked_ratio_, lists)) * penalty_;
}

}  // namespace ultr
