#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/logspace.h"
#include "autograd/ops/segments.h"
#include "dsl/model_setting.h"
#include "losses/pointwise.h"
#include "losses/propensity_weights.h"
#include "losses/ranking_loss.h"

namespace ultr {

/// Computes minus the log-likelihood of clicks on documents that are both examined and relevant:
/// for each list
///
///     -Σ_i w_i (y_i log σ(e_i)σ(r_i) + (1 - y_i) log(1 - σ(e_i)σ(r_i)))
///
/// relevance r, examination e (logits), targets y (in [0, 1]), weights w (1 if left out):
/// [documents]; result: [lists]. An examination logit may be +inf, for certain examination.
inline Tensor position_based_loss(Tensor relevance, Tensor examination, Tensor targets,
                                  Segments lists, const std::optional<Tensor>& weights = {}) {
  const Tensor click = log_sigmoid(examination) + log_sigmoid(relevance);
  const Tensor none = log_not_both(examination, relevance);
  const Tensor log_likelihood = targets * click + (1 - targets) * none;
  return -segment_sum(weights ? *weights * log_likelihood : log_likelihood, lists);
}

/// Computes bounds on the second derivatives of position_based_loss in relevance: w σ(r)(1 - σ(r)),
/// those of the expected loss if it were known which documents are relevant. A click's loss has
/// them; that of no click has σ(r)(1 - σ(r)) minus the variance of relevance given no click, which
/// is below 0 at some r. relevance r, weights w (1 if left out), result: [documents].
inline Tensor position_based_curvature(Tensor relevance,
                                       const std::optional<Tensor>& weights = {}) {
  return pointwise_curvature(relevance, weights);
}

/// The position-based click model as a loss (Richardson et al., 2007; Wang et al., 2018). The
/// examination of each displayed position is learned with relevance, or fixed to propensities from
/// a file or an estimator. Estimates are relative: if some exceed 1, all are divided by the
/// largest.
class PositionBasedLoss final : public RankingLoss {
 public:
  explicit PositionBasedLoss(ModelBuilder& build) : RankingLoss(build) {
    GivenPropensities given = build.propensities(
        false,
        "CSV file of fixed examination probabilities by position; without one they are learned.");
    source_ = given.source;
    if (!fixed()) {
      examination_ = build.parameter("examination", Domain::rank,
                                     "Examination logit of each rank, e, unless it is fixed.");
      return;
    }
    double largest = 1;
    if (given.estimated)
      for (const double p : given.values) largest = std::max(largest, std::isnan(p) ? 0 : p);
    for (double& p : given.values) p /= largest;
    logits_ =
        examination_logits(given.values, static_cast<std::size_t>(build.setting()->positions));
  }
  Tensor loss(const Lists& lists) const override {
    const Tensor examination = fixed() ? lists.at_positions(logits_) : lists.logits(examination_);
    return position_based_loss(scores(lists), examination, lists.targets(), lists.segments());
  }
  std::optional<Tensor> score_curvature(const Lists& lists) const override {
    return position_based_curvature(scores(lists));
  }
  /// Examination σ(e), and clicks on examined documents with probability σ(r).
  std::optional<Examination> story(const Session& session) const override {
    if (!fixed())
      return Examination{.examination = examination_(session), .attraction = relevance(session)};
    std::vector<double> log_examination;
    for (const double x : logits_) log_examination.push_back(-std::log1p(std::exp(-x)));
    return Examination{.examination = fixed_probability(session, log_examination),
                       .attraction = relevance(session)};
  }
  bool predicts_clicks() const override { return true; }
  bool maximises_likelihood() const override { return true; }
  /// Empty if examination is fixed.
  std::optional<PositionEffect> position_effect() const override {
    if (fixed()) return std::nullopt;
    return PositionEffect{examination_, PositionEffect::Scale::probability};
  }
  void check(const SessionLog& log) const override {
    if (fixed()) check_known(logits_, log, source_, "one above 0 and at most 1");
  }

 private:
  bool fixed() const { return !source_.empty(); }

  std::string source_;          // of propensities; empty: examination is learned
  LogitParameter examination_;  // if learned
  std::vector<double> logits_;  // if fixed: by position; NaN without a propensity
};

}  // namespace ultr
