#pragma once

#include <vector>

#include "dsl/model_setting.h"
#include "layers/parameter.h"
#include "losses/lists.h"

namespace ultr {

/// Counts at which positions a log shows each query-document pair:
///
///     P(k | d) = sessions that show d at k / sessions that show d
///
/// Entry `row * positions + position`; all entries of a pair that no session shows are 0. Sessions
/// count by their weights. Of several logs, the first that shows a pair is counted.
std::vector<float> display_positions(const std::vector<const SessionLog*>& logs, std::size_t rows,
                                     std::size_t positions);

/// The positions at which the logging policy shows each document, for policy-aware estimators
/// (Oosterhuis & de Rijke, SIGIR 2020). They divide by the mean of what a position does to clicks,
/// over the policy's randomness, in place of that of the position of the session.
class DisplayPositions {
 public:
  /// Counts the training sessions; for pairs that these do not show, the held-out sessions. Throws
  /// ConfigError if several processes train the model, each with a part of the pairs.
  explicit DisplayPositions(const ModelSetting& setting);
  DisplayPositions(const DisplayPositions&) = delete;
  DisplayPositions& operator=(const DisplayPositions&) = delete;

  /// Computes Σ_k P(k | d) x_k for the document d of each display. by_position, x: [positions];
  /// result: [documents], in the order of the lists.
  Tensor mean(const Lists& lists, Tensor by_position) const;
  /// Computes the same sum for one row.
  double mean(std::size_t row, const std::vector<double>& by_position) const;

 private:
  std::size_t positions_;
  std::vector<float> shares_;
  ParameterView view_;
};

}  // namespace ultr
