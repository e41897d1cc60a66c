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

/// Divides the loss of each list by its ideal DCG, that of its documents ranked by gain. The result
/// is 0 if the ideal DCG is 0. loss, result: [lists]; gains (at least 0): [documents].
Tensor divided_by_ideal_dcg(Tensor loss, Tensor gains, Segments lists) {
  const Tensor ideal = segment_sum(gains * discounts(segment_ranks(gains, lists)), lists);
  return where(is_negative_infinity(log(ideal)), 0, loss / ideal);
}

}  // namespace

PairWeights lambdarank_weights(Tensor scores, Tensor labels, Segments lists) {
  return {.gain = gains(labels),
          .discount = discounts(segment_ranks(scores, lists)),
          .winner = {},
          .loser = {}};
}

Tensor pairs_curvature(Tensor scores, Tensor labels, Segments lists, const PairWeights& weights) {
  return 2 * pairwise_curvature(scores, labels, lists, weights);
}

Tensor lambdarank_curvature(Tensor scores, Tensor labels, Segments lists, Index list_numbers,
                            bool normalise, const PairWeights& weights) {
  const Tensor curvature = pairs_curvature(scores, labels, lists, weights);
  if (!normalise) return curvature;
  const Tensor one = scores.tape().constant(1);
  return curvature * take(divided_by_ideal_dcg(one, *weights.gain, lists), list_numbers);
}

Tensor lambdarank_loss(Tensor scores, Tensor labels, Segments lists, bool normalise) {
  return lambdarank_loss(scores, labels, lists, normalise,
                         lambdarank_weights(scores, labels, lists));
}

Tensor lambdarank_loss(Tensor scores, Tensor labels, Segments lists, bool normalise,
                       const PairWeights& weights) {
  const Tensor loss = pairwise_logistic(scores, labels, lists, weights);
  return normalise ? divided_by_ideal_dcg(loss, *weights.gain, lists) : loss;
}

}  // namespace ultr
