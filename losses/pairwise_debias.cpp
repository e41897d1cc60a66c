#include "losses/pairwise_debias.h"

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/reductions.h"
#include "autograd/ops/segments.h"
#include "losses/dual_learning.h"
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

Tensor relative_ratios(Tensor logits, Index first_documents, double largest_weight) {
  return logits.tape().constant(1) / dual_learning_weights(logits, first_documents, largest_weight);
}

PairwiseDebiasLoss::PairwiseDebiasLoss(ModelBuilder& build)
    : RankingLoss(build),
      weighted_(build.word("base", "lambdarank", {"lambdarank", "pairwise"},
                           "Loss whose pairs are divided by ratios.") == "lambdarank"),
      normalise_(build.boolean("normalise", true,
                               "Divide lambdarank's loss of each list by the list's ideal DCG.")),
      penalty_(build.number("penalty", 1, at_least(0), "Weight of the L1 norm of ratios, λ.")),
      largest_weight_(build.number("max_weight", usual_largest_weight, above(0),
                                   "Upper limit of each of the two weights of a pair, t_1 / t_k.")),
      ratios_from_weighted_pairs_(
          build.word("ratio_pairs", "base", {"base", "unweighted"},
                     "Pairs that ratios are learned from: those of the base loss, or with no "
                     "weights of lambdarank.") == "base" &&
          weighted_),
      clicked_ratio_(
          build.parameter("clicked_ratio", Domain::rank, "Logarithm of each rank's ratio t+.")),
      unclicked_ratio_(
          build.parameter("unclicked_ratio", Domain::rank, "Logarithm of each rank's ratio t-.")) {}

Tensor PairwiseDebiasLoss::pairs(Tensor scores, const Lists& lists, bool weighted,
                                 const PairRatios& ratios) const {
  const Tensor clicks = lists.targets();
  return weighted ? debiased_lambdarank_loss(scores, clicks, lists.segments(), normalise_, ratios)
                  : debiased_pairwise_loss(scores, clicks, lists.segments(), ratios);
}

PairRatios PairwiseDebiasLoss::ranker_ratios(const Lists& lists) const {
  const auto relative = [&](const LogitParameter& ratio) {
    return relative_ratios(lists.logits(ratio), lists.first_documents(), largest_weight_);
  };
  return {.clicked = relative(clicked_ratio_), .unclicked = relative(unclicked_ratio_)};
}

std::optional<Tensor> PairwiseDebiasLoss::score_curvature(const Lists& lists) const {
  const Tensor r = scores(lists), clicks = lists.targets();
  const Segments segments = lists.segments();
  const PairRatios ratios = ranker_ratios(lists);
  if (!weighted_) return pairs_curvature(r, clicks, segments, divided({}, ratios));
  return lambdarank_curvature(r, clicks, segments, lists.list_numbers(), normalise_,
                              divided(lambdarank_weights(r, clicks, segments), ratios));
}

Tensor PairwiseDebiasLoss::loss(const Lists& lists) const {
  const Tensor r = scores(lists), clicked = lists.logits(clicked_ratio_),
               unclicked = lists.logits(unclicked_ratio_);
  const Tensor ranker = pairs(r, lists, weighted_, ranker_ratios(lists));
  const Tensor ratios = pairs(stop_gradient(r), lists, ratios_from_weighted_pairs_,
                              {.clicked = exp(clicked), .unclicked = exp(unclicked)});
  return ranker + ratios + (norm(clicked_ratio_, lists) + norm(unclicked_ratio_, lists)) * penalty_;
}

}  // namespace ultr
