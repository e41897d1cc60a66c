#pragma once

#include <optional>

#include "autograd/ops/arithmetic.h"
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

}  // namespace ultr
