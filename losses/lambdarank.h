#pragma once

#include "autograd/ops/pairwise.h"
#include "autograd/tape/tensor.h"

/// LambdaRank: a logistic loss on pairs, in which each pair is weighted by the change in DCG if its
/// documents swapped ranks. The ranking is by scores, with gain 2^y - 1 and discount 1/log2(1 +
/// rank), ranks from 1, and no cut-off.
namespace ultr {

/// Computes the weights of pairs, |gain_i - gain_j| |discount_i - discount_j|. No gradient flows
/// through the ranks. scores, labels (at least 0): [documents]. Equal scores rank in list order.
PairWeights lambdarank_weights(Tensor scores, Tensor labels, Segments lists);

/// Computes the LambdaRank loss (Burges et al., 2006): for each list
///
///     Σ |Δgain_ij| |Δdiscount_ij| log(1 + e^-(x_i - x_j))     over its pairs with y_i > y_j,
///
/// divided by the ideal DCG if `normalise` is true. scores x, labels y (at least 0): [documents];
/// result: [lists].
Tensor lambdarank_loss(Tensor scores, Tensor labels, Segments lists, bool normalise);

/// Computes the loss with pairs weighted by `weights`: lambdarank_weights, perhaps with further
/// factors. The ideal DCG is that of their gains. A list without gains has the loss 0.
Tensor lambdarank_loss(Tensor scores, Tensor labels, Segments lists, bool normalise,
                       const PairWeights& weights);

/// Computes bounds on the second derivatives of pairwise_logistic in the scores, twice
/// pairwise_curvature. A pair's loss has the second derivatives c, c and, mixed, -c, so v^T H v =
/// Σ c_ij (v_i - v_j)^2 <= Σ c_ij 2 (v_i^2 + v_j^2): that of twice the diagonal. Weights are held
/// constant. scores, labels, result: [documents].
Tensor pairs_curvature(Tensor scores, Tensor labels, Segments lists,
                       const PairWeights& weights = {});

/// Computes those of the LambdaRank loss; its ranks are held constant. scores, labels, result:
/// [documents]; list_numbers: for each document, the number of its list. `weights`:
/// lambdarank_weights, perhaps with further factors.
Tensor lambdarank_curvature(Tensor scores, Tensor labels, Segments lists, Index list_numbers,
                            bool normalise, const PairWeights& weights);

}  // namespace ultr
