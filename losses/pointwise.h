#pragma once

#include <optional>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/logspace.h"
#include "autograd/ops/segments.h"
#include "autograd/tape/tensor.h"

namespace ultr {

/// Computes the pointwise loss, sigmoid cross-entropy: for each list
///
///     -Σ_i w_i (y_i log σ(x_i) + (1 - y_i) log(1 - σ(x_i)))
///
/// logits x, targets y, weights w (1 if left out): [documents]; result: [lists]. Targets may exceed
/// 1, as those of weighted clicks do (Saito et al., 2020).
inline Tensor pointwise_loss(Tensor logits, Tensor targets, Segments lists,
                             const std::optional<Tensor>& weights = {}) {
  const Tensor losses = sigmoid_cross_entropy(logits, targets);
  return segment_sum(weights ? *weights * losses : losses, lists);
}

/// Computes the second derivatives of pointwise_loss in its logits: w σ(x)(1 - σ(x)), whatever the
/// targets. logits x, weights w (1 if left out), result: [documents].
inline Tensor pointwise_curvature(Tensor logits, const std::optional<Tensor>& weights = {}) {
  const Tensor curvature = sigmoid(logits) * sigmoid(-logits);
  return weights ? *weights * curvature : curvature;
}

}  // namespace ultr
