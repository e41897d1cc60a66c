#pragma once

#include <optional>
#include <string>
#include <vector>

#include "losses/ranking_loss.h"

namespace ultr {

/// Computes minus the log-likelihood of clicks on documents that are both examined and relevant:
/// for each list
///
///     -Σ_i w_i (y_i log σ(e_i)σ(r_i) + (1 - y_i) log(1 - σ(e_i)σ(r_i)))
///
/// relevance r, examination e (logits), targets y (in [0, 1]), weights w (1 if left out):
/// [documents]; result: [lists]. An examination logit may be +inf, for certain examination.
Tensor position_based_loss(Tensor relevance, Tensor examination, Tensor targets, Segments lists,
                           const std::optional<Tensor>& weights = {});

/// The position-based click model as a loss (Richardson et al., 2007; Wang et al., 2018). The
/// examination of each displayed position is learned with relevance, or fixed to propensities from
/// a file or an estimator. Estimates are relative: if some exceed 1, all are divided by the
/// largest.
class PositionBasedLoss final : public RankingLoss {
 public:
  explicit PositionBasedLoss(ModelBuilder& build);
  Tensor loss(const Lists& lists) const override;
  /// Examination σ(e), and clicks on examined documents with probability σ(r).
  std::optional<Examination> story(const Session& session) const override;
  bool predicts_clicks() const override { return true; }
  bool maximises_likelihood() const override { return true; }
  /// Empty if examination is fixed.
  std::optional<PositionEffect> position_effect() const override;
  void check(const SessionLog& log) const override;

 private:
  bool fixed() const { return !source_.empty(); }

  std::string source_;          // of propensities; empty: examination is learned
  LogitParameter examination_;  // if learned
  std::vector<double> logits_;  // if fixed: by position; NaN without a propensity
};

}  // namespace ultr
