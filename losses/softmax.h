#pragma once

#include <optional>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/gather.h"
#include "autograd/ops/segments.h"
#include "autograd/tape/tensor.h"

namespace ultr {

/// Computes the listwise softmax loss (ListNet's top-one loss; Cao et al., 2007; Bruch et al.,
/// 2019): for each list
///
///     -Σ_i w_i (y_i / Σ_j y_j) log softmax(x)_i
///
/// and 0 for a list whose labels are all 0. scores x, labels y (at least 0), weights w (1 if left
/// out): [documents]; result: [lists].
///
/// Weights multiply a label's share after labels are normalised to sum to one. If labels were
/// weighted before, as y_i w_i, the weight would cancel in every list with a single label above 0.
inline Tensor softmax_loss(Tensor scores, Tensor labels, Segments lists,
                           const std::optional<Tensor>& weights = {}) {
  const Tensor shares = segment_shares(labels, lists);
  const Tensor targets = weights ? *weights * shares : shares;
  return -segment_sum(targets * segment_log_softmax(scores, lists), lists);
}

/// Computes bounds on the second derivatives of softmax_loss in the scores of a list,
///
///     2 s p_i (1 - p_i)     with p = softmax(x) and s = Σ_i w_i y_i / Σ_j y_j.
///
/// The matrix of second derivatives is s (diag(p) - p p^T). Its rows sum to 0 and its entries off
/// the diagonal are negative, so v^T H v = Σ_{i<j} s p_i p_j (v_i - v_j)^2, which is at most
/// Σ_{i<j} s p_i p_j 2 (v_i^2 + v_j^2): that of twice its diagonal. scores x, labels y, weights w
/// (1 if left out), result: [documents]; list_numbers: for each document, the number of its list.
inline Tensor softmax_curvature(Tensor scores, Tensor labels, Segments lists, Index list_numbers,
                                const std::optional<Tensor>& weights = {}) {
  const Tensor shares = segment_shares(labels, lists);
  const Tensor sums = segment_sum(weights ? *weights * shares : shares, lists);
  const Tensor log_p = segment_log_softmax(scores, lists);
  return -2 * take(sums, list_numbers) * exp(log_p) * expm1(log_p);
}

}  // namespace ultr
