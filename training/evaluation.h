#pragma once

#include <span>
#include <vector>

#include "data/log/judged_lists.h"
#include "data/log/session_log.h"
#include "metrics/metrics.h"
#include "models/click_program.h"

namespace ultr {

/// Bins of click calibration. Logarithmic, since click probabilities are small and more documents
/// have smaller ones.
inline constexpr CalibrationOptions click_calibration = {.bins = 20,
                                                         .spacing = BinSpacing::logarithmic};

/// The quality of a model's click predictions on a log. The metrics have no documents, and only the
/// loss is set, if the model predicts no clicks or the log has targets in place of clicks.
struct ClickEvaluation {
  ClickMetrics conditional, unconditional;
  Calibration calibration{click_calibration};  // of the conditional predictions
  double loss = 0;                             // the mean that training minimises
  std::vector<double> examination;  // mean P(examined) of the documents at each displayed position
  std::size_t sessions = 0;
  std::size_t impossible_clicks = 0;  // with probability 0; they score min_log_prob
};

/// Log-likelihood of one session (natural logarithm), summed over its documents.
struct SessionLikelihood {
  double conditional = 0;    // of P(click | clicks above)
  double unconditional = 0;  // of P(click)
};

/// Evaluates a model on a log, in parallel; the result does not depend on `threads`. If several
/// processes train the model (ModelSetting::ranks), all must call it: each evaluates a part of the
/// log, and all get bit-identical results. `each` is empty or has one entry per session of the log,
/// which is overwritten.
ClickEvaluation evaluate_clicks(const TrainableModel& model, const SessionLog& log, LossMean mean,
                                int threads, std::span<SessionLikelihood> each = {});

/// Evaluates only the loss, which costs less.
double evaluate_loss(const TrainableModel& model, const SessionLog& log, LossMean mean,
                     int threads);

/// Evaluates the ranking of judged lists by the model's relevance.
RankingMetrics evaluate_ranking(const TrainableModel& model, const JudgedLists& lists,
                                const RankingOptions& options);

/// Evaluates the ranking of judged lists by given scores: one per document, list after list.
RankingMetrics evaluate_scores(std::span<const double> scores, const JudgedLists& lists,
                               const RankingOptions& options);

}  // namespace ultr
