#pragma once

#include "autograd/ops/logspace.h"
#include "losses/affine.h"

namespace ultr {

/// Doubly robust correction of clicks (Oosterhuis, TOIS 2023): a loss of targets
///
///     y = R̂ + (c - α_k R̂ - β_k) / max(ω, τ)
///
/// R̂ = σ(direct_relevance) is the relevance by the direct method, which a first stage fits to
/// clicks by likelihood; α and β are those of TrustBias, and ω is α_k, or its mean over the
/// positions at which the logging policy shows the document (`policy_aware`). If α and β are right,
/// E[y] = γ where ω is right and at least τ, and also where R̂ = γ, whatever ω and τ. The better R̂,
/// the lower the variance. Documents below a cut-off, where α and β are 0, have the target R̂ in
/// sessions that do not show them. Where ω is α_k and nothing is clipped, R̂ cancels and the loss is
/// AffineLoss.
///
/// Oosterhuis fits R̂ by a cross-entropy of corrected clicks. The likelihood has the same optimum if
/// α and β are right, and no negative targets.
class DoublyRobustLoss final : public AffineLoss {
 public:
  explicit DoublyRobustLoss(ModelBuilder& build) : AffineLoss(build, true) {}

 protected:
  Tensor corrected(const Lists& lists, Tensor divisor) const override {
    const Tensor direct = sigmoid(lists.frozen_logits(bias().direct_relevance()));
    const Tensor predicted = bias().alpha(lists) * direct + bias().beta(lists);
    return direct + (lists.targets() - predicted) / divisor;
  }
};

}  // namespace ultr
