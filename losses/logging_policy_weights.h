#pragma once

#include <string>
#include <vector>

#include "layers/parameter.h"
#include "losses/ranking_loss.h"

namespace ultr {

/// Computes how often the training sessions of a query show a query-document pair at a position:
///
///     π(d, k | q) = sessions of q that show d at k / sessions of q
///
/// Entry `row * positions + position` belongs to a row of the dictionary and a 0-based position. It
/// is 1 if no session shows that pair there.
std::vector<float> display_propensities(const SessionLog& train, std::size_t rows,
                                        std::size_t positions);

/// A pointwise loss with documents weighted by 1/π(d, k | q), the inverse of the probability that
/// the logging policy shows them where they are (thesis, eq. 4.22), so that all pairs count alike
/// at all positions. π is the log's own if it has one, and is otherwise counted from the training
/// sessions.
class LoggingPolicyWeightsLoss final : public RankingLoss {
 public:
  explicit LoggingPolicyWeightsLoss(ModelBuilder& build);
  Tensor loss(const Lists& lists) const override;
  /// The story of the loss without weights.
  std::optional<Examination> story(const Session& session) const override;
  bool predicts_clicks() const override { return true; }
  /// Empty if the base is pointwise.
  std::optional<PositionEffect> position_effect() const override;
  void check(const SessionLog& log) const override;

 private:
  Tensor propensities(const Lists& lists) const;

  std::string base_;
  LogitParameter examination_;  // unless the base is pointwise
  std::vector<float> counted_;  // display_propensities; empty: the log has its own
  ParameterView counted_view_;
};

}  // namespace ultr
