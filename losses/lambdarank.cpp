#include "losses/lambdarank.h"

#include <numbers>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/gather.h"
#include "autograd/ops/segments.h"
#include "autograd/ops/select.h"
#include "autograd/tape/tape.h"

namespace ultr {
namespace {

/// Gains of labels: 2^y - 1.
Tensor gains(Tensor labels) { return expm1(labels * std::numbers::ln2); }

/// Discounts of ranks: 1/log2(1 + rank).
Tensor discounts(Tensor ranks) { return ranks.tape().constant(std::numbers::ln2) / log1p(ranks); }

}  // namespace

PairWeights lambdarank_weights(Tensor scores, Tensor labels, Segments lists) {
  return {.gain = gains(labels),
          .discount = discounts(segment_ranks(scores, lists)),
          .winner = {},
          .loser = {}};
}

Tensor divided_by_ideal_dcg(Tensor loss, Tensor labels, Segments lists) {
  const Tensor ideal = segment_sum(gains(labels) * discounts(segment_ranks(labels, lists)), lists);
  return where(is_negative_infinity(log(ideal)), 0, loss / ideal);
}

Tensor pairs_curvature(Tensor scores, Tensor labels, Segments lists, const PairWeights& weights) {
  return 2 * pairwise_curvature(scores, labels, lists, weights);
}

Tensor lambdarank_curvature(Tensor scores, Tensor labels, Segments lists, Index list_numbers,
                            bool normalise, const PairWeights& weights) {
  const Tensor curvature = pairs_curvature(scores, labels, lists, weights);
  if (!normalise) return curvature;
  const Tensor one = scores.tape().constant(1);
  return curvature * take(divided_by_ideal_dcg(one, labels, lists), list_numbers);
}

Tensor lambdarank_loss(Tensor scores, Tensor labels, Segments lists, bool normalise) {
  const Tensor loss =
      pairwise_logistic(scores, labels, lists, lambdarank_weights(scores, labels, lists));
  return normalise ? divided_by_ideal_dcg(loss, labels, lists) : loss;
}

}  // namespace ultr
