#pragma once

#include <optional>

#include "autograd/tape/tensor.h"

namespace ultr {

/// The factors of a pair's weight in `pairwise_logistic`, each a vector as long as the scores. A
/// factor that is left out is 1.
struct PairWeights {
  std::optional<Tensor> gain;      // |gain_i - gain_j|, no gradient
  std::optional<Tensor> discount;  // |discount_i - discount_j|, no gradient
  std::optional<Tensor> winner;    // winner_i, i being the element of higher order; with gradient
  std::optional<Tensor> loser;     // loser_j, j being the element of lower order; with gradient
};

/// For each segment, Σ w_ij log(1 + e^-(s_i - s_j)) over its pairs with order_i > order_j, where
/// w_ij = |gain_i - gain_j| |discount_i - discount_j| winner_i loser_j: [n] -> [count].
///
/// scores, order: vectors of the same length. No gradient flows to order; an element whose order is
/// NaN is in no pair. Takes O(n) memory, because pairs are never stored, and one pass for value and
/// slopes. With gains, and discounts of the ranking by scores, this is LambdaRank (Burges et al.,
/// 2006); without weights, it is RankNet's loss. Throws ShapeError if the vectors differ in length
/// or the segments do not cover them.
Tensor pairwise_logistic(Tensor scores, Tensor order, Segments segments,
                         const PairWeights& weights = {});

/// For each element, Σ w_ij σ(s_i - s_j) σ(s_j - s_i) over the pairs that it is in, with the pairs
/// and weights of pairwise_logistic: the second derivative of its value in each score, [n] -> [n].
/// No gradient flows through it. Throws ShapeError as pairwise_logistic does.
Tensor pairwise_curvature(Tensor scores, Tensor order, Segments segments,
                          const PairWeights& weights = {});

}  // namespace ultr
