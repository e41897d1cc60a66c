#pragma once

#include <optional>

#include "autograd/tensor.h"

namespace ultr {

/// What multiplies each pair of `pairwise_logistic`; what is left out is 1. Vectors as long as
/// scores.
struct PairWeights {
  std::optional<Tensor> gain;      // |gain_i - gain_j|, no gradient
  std::optional<Tensor> discount;  // |discount_i - discount_j|, no gradient
  std::optional<Tensor> winner;    // winner_i of the element of higher order, with gradient
  std::optional<Tensor> loser;     // loser_j of the element of lower order, with gradient
};

/// For each segment Σ w_ij log(1 + e^-(s_i - s_j)) over its pairs with order_i > order_j, where
/// w_ij = |gain_i - gain_j| |discount_i - discount_j| winner_i loser_j: [n] -> [count].
///
/// scores, order: vectors. No gradient flows to order. O(n) memory: pairs are never stored; value
/// and slopes come from one pass. With gains and discounts of the ranking by scores this is
/// LambdaRank (Burges et al., 2006), without weights RankNet's loss.
Tensor pairwise_logistic(Tensor scores, Tensor order, Segments segments,
                         const PairWeights& weights = {});

}  // namespace ultr
