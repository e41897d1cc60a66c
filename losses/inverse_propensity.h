#pragma once

#include <string>
#include <vector>

#include "losses/ranking_loss.h"

namespace ultr {

/// The time at which a softmax loss weights clicks: after or before it normalises labels to sum to
/// one. Before, the weight cancels in every list with a single click.
enum class ClickWeighting : std::uint8_t { after_normalisation, before_normalisation };

/// Computes the softmax loss of weighted clicks. Labels are w_i c_i / Σ c if clicks are weighted
/// after normalisation, and w_i c_i / Σ w c if before. scores, clicks, weights: [documents];
/// result: [lists].
Tensor weighted_softmax_loss(Tensor scores, Tensor clicks, Tensor weights, Segments lists,
                             ClickWeighting weighting);

/// Inverse propensity scoring (Joachims et al., 2017; Wang et al., 2018): a loss on clicks weighted
/// by the inverse propensity of their displayed position. Propensities come from a file or an
/// estimator. The pointwise loss has targets w c, which may exceed 1 (Bekker et al., 2019; Saito et
/// al., 2020). The softmax loss is weighted_softmax_loss.
class InversePropensityLoss final : public RankingLoss {
 public:
  explicit InversePropensityLoss(ModelBuilder& build);
  Tensor loss(const Lists& lists) const override;
  /// The story that weighted clicks estimate: examination 1/w, and clicks on examined documents
  /// with probability σ(r). Empty unless the loss is pointwise and all weights are inverse
  /// probabilities.
  std::optional<Examination> story(const Session& session) const override;
  bool predicts_clicks() const override;
  void check(const SessionLog& log) const override;

 private:
  std::string base_, source_;
  double clip_;
  bool normalise_;
  ClickWeighting weighting_;
  std::vector<double> weights_;  // by position; NaN without a propensity
};

}  // namespace ultr
