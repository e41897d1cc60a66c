#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "losses/display_positions.h"
#include "losses/ranking_loss.h"
#include "losses/trust_bias.h"

namespace ultr {

/// Computes the softmax loss of targets that are no shares, and may be negative: for each list
///
///     -Σ_i y_i log softmax(x)_i
///
/// It is linear in the targets, so that targets which are unbiased give an unbiased loss. scores x,
/// targets y: [documents]; result: [lists].
Tensor linear_softmax_loss(Tensor scores, Tensor targets, Segments lists);

/// Affine correction of clicks (Vardasbi et al., CIKM 2020): a loss of targets that are, in
/// expectation, the relevance of documents to users with trust bias:
///
///     y = (c - β_k) / max(α_k, τ),   E[y] = γ if α_k >= τ
///
/// α and β are those of TrustBias. If they are learned, a first stage fits them together with a
/// relevance `direct_relevance`. Targets of documents that are not clicked are negative, as they
/// must be: cutting them off at 0 would be biased.
///
/// `policy_aware` divides by the mean of α over the positions at which the logging policy shows the
/// document (Oosterhuis & de Rijke, 2020), which lowers the variance and admits positions that
/// users do not examine: α and β are 0 where they see nothing, below a cut-off, and a document that
/// is mostly there has a small mean and large targets.
///
/// The base is pointwise_loss or linear_softmax_loss.
class AffineLoss : public RankingLoss {
 public:
  explicit AffineLoss(ModelBuilder& build) : AffineLoss(build, false) {}
  Tensor loss(const Lists& lists) const override;
  std::optional<Tensor> score_curvature(const Lists& lists) const override;
  /// Clicks with probability α σ(r) + β. Empty unless the base is pointwise.
  std::optional<Examination> story(const Session& session) const override;
  bool predicts_clicks() const override { return base_ == "pointwise"; }
  std::vector<TrainingStage> stages() const override;
  void check(const SessionLog& log) const override { bias_.check(log, clip_ == 0, shown_.get()); }

 protected:
  /// `needs_direct`: the loss needs `direct_relevance` even if α and β are given.
  AffineLoss(ModelBuilder& build, bool needs_direct);
  /// The targets of documents: [documents]. `divisor`: max(α, τ), or that of the mean of α.
  virtual Tensor corrected(const Lists& lists, Tensor divisor) const;
  const TrustBias& bias() const { return bias_; }

 private:
  class DirectStage;
  Tensor targets_of(const Lists& lists) const;

  std::string base_;
  double clip_;
  bool policy_aware_;
  TrustBias bias_;
  std::unique_ptr<const DisplayPositions> shown_;  // if policy-aware
};

}  // namespace ultr
