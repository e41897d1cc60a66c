#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/log/session_log.h"
#include "dsl/programs/click_program.h"
#include "metrics/metrics.h"

namespace ultr {

/// Log-likelihood of one session (natural logarithm), summed over its documents.
struct SessionLikelihood {
  double conditional = 0;    // of P(click | clicks above)
  double unconditional = 0;  // of P(click)
};

/// A column of log-likelihoods in files with one row per query or list.
struct SessionColumn {
  std::string_view name;
  double SessionLikelihood::*value;  // files have its mean over documents
};

inline constexpr SessionColumn session_columns[] = {
    {"ll", &SessionLikelihood::conditional},
    {"unconditional_ll", &SessionLikelihood::unconditional},
};

/// The parts of an evaluation of click predictions.
enum class EvaluatedParts : std::uint8_t {
  likelihoods,  // the loss, likelihoods and perplexities, which is all that training looks at
  all,          // calibration and examination, too
};

/// Evaluates a model on a log, in parallel; the result does not depend on `threads`. If several
/// processes train the model (ModelSetting::processes), all must call it: each evaluates a part of
/// the log, and all get bit-identical results. `each` is empty or has one entry per session of the
/// log, which is overwritten.
ClickEvaluation evaluate_clicks(const TrainableModel& model, const SessionLog& log, LossMean mean,
                                int threads, std::span<SessionLikelihood> each = {},
                                EvaluatedParts parts = EvaluatedParts::all);

/// Evaluates only the loss, which costs less.
double evaluate_loss(const TrainableModel& model, const SessionLog& log, LossMean mean,
                     int threads);

/// Returns the name under which evaluate_masked_words reports a parameter.
std::string masked_accuracy_of(const std::string& parameter);

/// Returns the share of masked words that each layer guesses right, of layers that learn it with
/// this model or stage. The words are those of the log's documents, which count as often as they
/// are shown. The same words are masked each time.
std::vector<MetricValue> evaluate_masked_words(const TrainableModel& model, const SessionLog& log,
                                               int threads);

}  // namespace ultr
