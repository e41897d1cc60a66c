#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "autograd/ops/arithmetic.h"
#include "losses/display_positions.h"
#include "losses/ranking_loss.h"
#include "losses/softmax.h"

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
///
/// `policy_aware` weights by the mean propensity Σ_k P(k | d) e_k of the positions at which the
/// logging policy shows document d (Oosterhuis & de Rijke, SIGIR 2020): weights are equal wherever
/// the document is shown, vary less, and admit positions that nobody examines.
///
/// `self_normalise` divides weights by Σ w c / Σ c over the training sessions, so that the weighted
/// clicks are as many as the clicks (SNIPS; Swaminathan & Joachims, 2015). These weights do not
/// depend on the ranker, so it scales the loss of a softmax, and the targets of a pointwise loss.
/// Within each list, weighting before normalisation is self-normalised.
class InversePropensityLoss final : public RankingLoss {
 public:
  explicit InversePropensityLoss(ModelBuilder& build);
  Tensor loss(const Lists& lists) const override;
  std::optional<Tensor> score_curvature(const Lists& lists) const override;
  /// The story that weighted clicks estimate: examination 1/w, and clicks on examined documents
  /// with probability σ(r). Empty unless the loss is pointwise and all weights are inverse
  /// probabilities of positions.
  std::optional<Examination> story(const Session& session) const override;
  bool predicts_clicks() const override;
  void check(const SessionLog& log) const override;

 private:
  /// Returns the weights of clicks: [documents].
  Tensor weights(const Lists& lists) const;
  /// Returns the weight of a click on a row at a position, before self-normalisation.
  double weight(std::uint32_t row, std::uint16_t position) const;
  /// Returns Σ w c / Σ c over the documents of a log; 1 if there are no clicks.
  double mean_click_weight(const SessionLog& log) const;
  /// Returns the numerator of policy-aware weights.
  double numerator() const { return normalise_ ? std::max(propensities_[0], clip_) : 1; }

  std::string base_, source_;
  double clip_;
  bool normalise_;
  ClickWeighting weighting_;
  bool policy_aware_, self_normalise_;
  std::vector<double> from_file_{};  // propensities by position; empty if they are estimated
  std::vector<double> weights_;      // by position; NaN without a propensity
  double scale_ = 1;                 // of weights, by self-normalisation
  std::unique_ptr<const DisplayPositions> shown_{};  // if policy-aware
  std::vector<double> propensities_{};               // if policy-aware: by position, 0 if unknown
};

}  // namespace ultr
