#pragma once

#include <string>
#include <vector>

#include "layers/parameter.h"
#include "losses/ranking_loss.h"

namespace ultr {

/// How often training sessions of its query show a query-document pair at a position:
/// π(d, k | q) = sessions that show d at k / sessions of q, for entry `row * positions + position`
/// of rows of the dictionary and 0-based positions. 1 for what no session shows.
std::vector<float> display_propensities(const SessionLog& train, std::size_t rows,
                                        std::size_t positions);

/// A pointwise loss with documents weighted by 1/π(d, k | q), the inverse of the probability that
/// the logging policy shows them where they are (thesis, eq. 4.22), so that all pairs count alike
/// at all positions. π is the log's own if it has one, else counted from the training sessions.
class LoggingPolicyWeightsLoss final : public RankingLoss {
 public:
  explicit LoggingPolicyWeightsLoss(ModelBuilder& build);
  Tensor loss(const Lists& lists) const override;
  /// That of the loss without weights.
  std::optional<Examination> story(const Session& session) const override;
  bool predicts_clicks() const override { return true; }
  /// Nothing of the pointwise loss.
  std::optional<PositionEffect> position_effect() const override;
  void check(const SessionLog& log) const override;

 private:
  Tensor propensities(const Lists& lists) const;

  std::string base_;
  LogitParameter examination_;  // but of the base pointwise
  std::vector<float> counted_;  // see display_propensities; empty: those of the log
  ParameterView counted_view_;
};

}  // namespace ultr
