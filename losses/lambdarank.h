#pragma once

#include "autograd/pairwise.h"
#include "autograd/tensor.h"

/// LambdaRank: logistic pairs weighted by what swapping them does to the DCG of the ranking by
/// scores, with gain 2^y - 1 and discount 1/log2(1 + rank), ranks from 1, without a cut-off.
namespace ultr {

/// What multiplies the pairs: |gain_i - gain_j| |discount_i - discount_j|. No gradient flows
/// through the ranks. scores, labels (at least 0): [documents]; equal scores rank in list order.
PairWeights lambdarank_weights(Tensor scores, Tensor labels, Segments lists);

/// A loss of each list divided by its ideal DCG, that of its documents ranked by label; 0 where
/// that is 0. loss, result: [lists]; labels (at least 0): [documents].
Tensor divided_by_ideal_dcg(Tensor loss, Tensor labels, Segments lists);

/// The LambdaRank loss (Burges et al., 2006): for each list
/// Σ |Δgain_ij| |Δdiscount_ij| log(1 + e^-(x_i - x_j)) over its pairs with y_i > y_j, divided by
/// the ideal DCG if `normalise` says so. scores, labels: [documents]; result: [lists].
Tensor lambdarank_loss(Tensor scores, Tensor labels, Segments lists, bool normalise);

}  // namespace ultr
