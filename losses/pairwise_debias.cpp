#include "losses/pairwise_debias.h"

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/reductions.h"
#include "autograd/ops/segments.h"
#include "base/error.h"
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
  return lambdarank_loss(scores, clicks, lists, normalise,
                         divided(lambdarank_weights(scores, clicks, lists), ratios));
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
      multiplied_(
          build.word(
              "ratio_use", "divide_pairs", {"divide_pairs", "multiply_gains"},
              "What ratios do for the ranker: divide pairs, or multiply lambdarank's gains.") ==
          "multiply_gains"),
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
          build.parameter("unclicked_ratio", Domain::rank, "Logarithm of each rank's ratio t-.")) {
  if (multiplied_ && !weighted_)
    throw ConfigError(
        "loss.ratio_use is multiply_gains, but loss.base is pairwise, which has no gains; expected "
        "lambdarank");
}

PairWeights PairwiseDebiasLoss::ranker_weights(Tensor scores, const Lists& lists) const {
  const auto relative = [&](const LogitParameter& ratio) {
    return relative_ratios(lists.logits(ratio), lists.first_documents(), largest_weight_);
  };
  const PairRatios ratios = {.clicked = relative(clicked_ratio_),
                             .unclicked = relative(unclicked_ratio_)};
  if (!weighted_) return divided({}, ratios);
  PairWeights weights = lambdarank_weights(scores, lists.targets(), lists.segments());
  if (!multiplied_) return divided(weights, ratios);
  weights.gain = *weights.gain * ratios.clicked * ratios.unclicked;
  return weights;
}

std::optional<Tensor> PairwiseDebiasLoss::score_curvature(const Lists& lists) const {
  const Tensor r = scores(lists), clicks = lists.targets();
  const Segments segments = lists.segments();
  const PairWeights weights = ranker_weights(r, lists);
  if (!weighted_) return pairs_curvature(r, clicks, segments, weights);
  return lambdarank_curvature(r, clicks, segments, lists.list_numbers(), normalise_, weights);
}

Tensor PairwiseDebiasLoss::loss(const Lists& lists) const {
  const Tensor r = scores(lists), clicked = lists.logits(clicked_ratio_),
               unclicked = lists.logits(unclicked_ratio_);
  const Tensor clicks = lists.targets();
  const Segments segments = lists.segments();
  const PairWeights weights = ranker_weights(r, lists);
  const Tensor ranker = weighted_ ? lambdarank_loss(r, clicks, segments, normalise_, weights)
                                  : pairwise_logistic(r, clicks, segments, weights);
  const PairRatios learned = {.clicked = exp(clicked), .unclicked = exp(unclicked)};
  const Tensor held = stop_gradient(r);
  const Tensor ratios = ratios_from_weighted_pairs_
                            ? debiased_lambdarank_loss(held, clicks, segments, normalise_, learned)
                            : debiased_pairwise_loss(held, clicks, segments, learned);
  return ranker + ratios + (norm(clicked_ratio_, lists) + norm(unclicked_ratio_, lists)) * penalty_;
}

}  // namespace ultr
