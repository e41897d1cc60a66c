#pragma once

#include <span>
#include <vector>

#include "data/log/judged_lists.h"
#include "data/log/session_log.h"
#include "metrics/metrics.h"
#include "models/click_program.h"

namespace ultr {

/// Click probabilities are small, and more documents have smaller ones.
inline constexpr CalibrationOptions click_calibration = {.bins = 20,
                                                         .spacing = BinSpacing::logarithmic};

/// How well a model predicts the clicks of a log. Without documents in its metrics if the model
/// predicts none, or if the log has targets in their place; then there is the loss only.
struct ClickEvaluation {
  ClickMetrics conditional, unconditional;
  Calibration calibration{click_calibration};  // of the conditional
  double loss = 0;                             // a mean as training takes it
  std::vector<double> examination;  // mean P(examined) of the documents at each displayed position
  std::size_t sessions = 0;
  std::size_t impossible_clicks = 0;  // under the model; they score min_log_prob
};

/// Log-likelihood of one session, summed over its documents.
struct SessionLikelihood {
  double conditional = 0;    // of P(click | clicks above)
  double unconditional = 0;  // of P(click)
};

/// Evaluates a model on a log, in parallel; the result does not depend on `threads`. If several
/// processes train the model (ModelSetting::ranks), all evaluate it together, each a part of the
/// log, and all have the result, to the same bits. `each` is
/// empty or has an entry for every session of the log, which is overwritten.
ClickEvaluation evaluate_clicks(const TrainableModel& model, const SessionLog& log, LossMean mean,
                                int threads, std::span<SessionLikelihood> each = {});

/// The loss alone, which costs less.
double evaluate_loss(const TrainableModel& model, const SessionLog& log, LossMean mean,
                     int threads);

/// Ranks judged lists by the model's relevance.
RankingMetrics evaluate_ranking(const TrainableModel& model, const JudgedLists& lists,
                                const RankingOptions& options);

/// Ranks judged lists by given scores, one a document, list after list.
RankingMetrics evaluate_scores(std::span<const double> scores, const JudgedLists& lists,
                               const RankingOptions& options);

}  // namespace ultr
