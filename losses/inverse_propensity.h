#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "autograd/ops/arithmetic.h"
#include "dsl/model_setting.h"
#include "losses/pointwise.h"
#include "losses/propensity_weights.h"
#include "losses/ranking_loss.h"
#include "losses/softmax.h"
#include "options/config_tree.h"

namespace ultr {

/// The time at which a softmax loss weights clicks: after or before it normalises labels to sum to
/// one. Before, the weight cancels in every list with a single click.
enum class ClickWeighting : std::uint8_t { after_normalisation, before_normalisation };

/// Computes the softmax loss of weighted clicks. Labels are w_i c_i / Σ c if clicks are weighted
/// after normalisation, and w_i c_i / Σ w c if before. scores, clicks, weights: [documents];
/// result: [lists].
inline Tensor weighted_softmax_loss(Tensor scores, Tensor clicks, Tensor weights, Segments lists,
                                    ClickWeighting weighting) {
  return weighting == ClickWeighting::after_normalisation
             ? softmax_loss(scores, clicks, lists, weights)
             : softmax_loss(scores, clicks * weights, lists);
}

/// Inverse propensity scoring (Joachims et al., 2017; Wang et al., 2018): a loss on clicks weighted
/// by the inverse propensity of their displayed position. Propensities come from a file or an
/// estimator. The pointwise loss has targets w c, which may exceed 1 (Bekker et al., 2019; Saito et
/// al., 2020). The softmax loss is weighted_softmax_loss.
class InversePropensityLoss final : public RankingLoss {
 public:
  explicit InversePropensityLoss(ModelBuilder& build)
      : RankingLoss(build),
        base_(build.word("base", "softmax", {"softmax", "pointwise"},
                         "Loss that is computed on weighted clicks.")),
        clip_(build.number(
            "clip", 0.1, at_least(0),
            "Lower limit of propensities, τ: smaller ones are raised to it; 0: none.")),
        normalise_(build.boolean("normalise", true,
                                 "Divide all propensities by that of the first position.")),
        weighting_(
            build.word("weighting", "after_normalisation",
                       {"after_normalisation", "before_normalisation"},
                       "Weight clicks after or before softmax normalises them to sum to 1 per "
                       "list; before, a single click loses its weight.") == "after_normalisation"
                ? ClickWeighting::after_normalisation
                : ClickWeighting::before_normalisation) {
    const GivenPropensities given = build.propensities(
        true, "CSV file with a column of positions, from 1, and one of propensities, e.");
    const ModelSetting* setting = build.setting();
    if (setting == nullptr) return;
    source_ = given.source;
    if (!given.estimated) from_file_ = given.values;
    weights_ =
        inverse_propensity_weights(given.values, static_cast<std::size_t>(setting->positions),
                                   {.clip = clip_, .normalise = normalise_});
  }
  Tensor loss(const Lists& lists) const override {
    const Tensor r = scores(lists), clicks = lists.targets(),
                 weights = lists.at_positions(weights_);
    return base_ == "softmax"
               ? weighted_softmax_loss(r, clicks, weights, lists.segments(), weighting_)
               : pointwise_loss(r, clicks * weights, lists.segments());
  }
  std::optional<Tensor> score_curvature(const Lists& lists) const override {
    const Tensor r = scores(lists), clicks = lists.targets();
    if (base_ == "pointwise") return pointwise_curvature(r);
    const Tensor weights = lists.at_positions(weights_);
    const bool after = weighting_ == ClickWeighting::after_normalisation;
    return softmax_curvature(r, after ? clicks : clicks * weights, lists.segments(),
                             lists.list_numbers(), after ? std::optional(weights) : std::nullopt);
  }
  /// The story that weighted clicks estimate: examination 1/w, and clicks on examined documents
  /// with probability σ(r). Empty unless the loss is pointwise and all weights are inverse
  /// probabilities.
  std::optional<Examination> story(const Session& session) const override {
    if (!predicts_clicks()) return std::nullopt;
    std::vector<double> log_examination;
    for (const double w : weights_) log_examination.push_back(-std::log(w));
    return Examination{.examination = fixed_probability(session, log_examination),
                       .attraction = relevance(session)};
  }
  bool predicts_clicks() const override {
    // A weight that is below 1 or missing is not the inverse of a probability.
    return base_ == "pointwise" &&
           std::all_of(weights_.begin(), weights_.end(), [](double w) { return w >= 1; });
  }
  void check(const SessionLog& log) const override {
    if (!from_file_.empty()) expect_all_positions(from_file_, log, source_);
    check_known(weights_, log, source_,
                normalise_ ? "one above 0 there and for position 1, or clip above 0"
                           : "one above 0, or clip above 0");
  }

 private:
  std::string base_, source_;
  double clip_;
  bool normalise_;
  ClickWeighting weighting_;
  std::vector<double> from_file_{};  // propensities by position; empty if they are estimated
  std::vector<double> weights_;      // by position; NaN without a propensity
};

}  // namespace ultr
