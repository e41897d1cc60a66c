#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "data/log/session_log.h"
#include "dsl/model_options.h"
#include "training/diverged.h"
#include "training/train_options.h"

namespace ultr {

/// The result of one pass over the training sessions.
struct PassResult {
  double loss = 0;           // mean during the pass, or before its single update
  double learning_rate = 0;  // of the last step; 0 if the fitter has no learning rate
};

/// The progress of a fitter. With the parameters and their states, it is all that resuming needs.
struct FitProgress {
  std::int64_t steps = 0;  // optimizer steps, or passes of a fitter without steps
  // Totals of the current pass, up to its last completed step:
  std::uint64_t sessions = 0;
  double loss = 0, units = 0;  // sums, as in BatchLoss
  double learning_rate = 0;    // of the last step
  /// Largest change of a probability in the last pass, of fitters that go by it; else 0.
  double change = 0;

  friend bool operator==(const FitProgress&, const FitProgress&) = default;
};

/// An algorithm that fits the parameters of a model in passes over its training sessions.
/// Parameters and results are bit-identical for any number of threads.
class Fitter {
 public:
  virtual ~Fitter() = default;
  /// Runs one pass, or the rest of a resumed one. `epoch` counts from 1. Calls `progress` with the
  /// number of sessions done, never in the middle of a step; an exception from it ends the pass
  /// there. Throws Diverged if the loss is not finite; the parameters are then of no use.
  virtual PassResult pass(std::int64_t epoch, const std::function<void(std::size_t)>& progress) = 0;
  /// Returns the progress. Valid between passes and during calls of `progress`. A fitter whose
  /// passes are single steps reports the start of a pass until it ends.
  virtual FitProgress progress() const = 0;
  /// Resumes from `progress` with bit-identical results. The parameters and their states must be
  /// those of that moment.
  virtual void resume(const FitProgress& progress) = 0;
  /// Returns true if a further pass would change nothing, or no more than it may.
  virtual bool finished() const { return false; }
  /// Returns true if the fitter is to go on until it has finished: validation then neither ends
  /// training nor chooses the parameters.
  virtual bool ends_by_itself() const { return false; }
  /// Returns the reason if the fitter ends by itself because validation cannot choose an epoch;
  /// else an empty string.
  virtual std::string why_validation_is_ignored() const { return ""; }
};

/// The inputs of a fitter besides its own options. All of them must outlive the fitter.
struct FitSetting {
  const TrainableModel& model;
  const SessionLog& train;
  const TrainOptions& options;
  std::uint64_t seed = 1;
  int threads = 1;
};

}  // namespace ultr
