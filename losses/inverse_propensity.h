#pragma once

#include <string>
#include <vector>

#include "losses/ranking_loss.h"

namespace ultr {

/// Where a softmax loss weights clicks. Before labels are normalised, a weight cancels wherever a
/// list has a single click.
enum class ClickWeighting : std::uint8_t { after_normalisation, before_normalisation };

/// The softmax loss of weighted clicks: labels w_i c_i / Σ c, or w_i c_i / Σ w c. scores, clicks,
/// weights: [documents]; result: [lists].
Tensor weighted_softmax_loss(Tensor scores, Tensor clicks, Tensor weights, Segments lists,
                             ClickWeighting weighting);

/// Inverse propensity scoring (Joachims et al., 2017; Wang et al., 2018): a loss on clicks weighted
/// by the inverse of propensities of their displayed positions, from a file or an estimator. The
/// pointwise loss has targets w c, which may exceed 1 (Bekker et al., 2019; Saito et al., 2020);
/// the softmax loss is weighted_softmax_loss.
class InversePropensityLoss final : public RankingLoss {
 public:
  explicit InversePropensityLoss(ModelBuilder& build);
  Tensor loss(const Lists& lists) const override;
  /// Of the pointwise loss, if the weights are inverse probabilities: examination 1/w, clicked with
  /// σ(r), which is what weighted clicks estimate.
  std::optional<Examination> story(const Session& session) const override;
  bool predicts_clicks() const override;
  void check(const SessionLog& log) const override;

 private:
  std::string base_, source_;
  double clip_;
  bool normalise_;
  ClickWeighting weighting_;
  std::vector<double> weights_;  // by position; NaN where there is no propensity
};

}  // namespace ultr
