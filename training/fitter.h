#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "data/log/session_log.h"
#include "models/model_options.h"
#include "optim/optimizer.h"
#include "training/train_options.h"

namespace ultr {

/// What one pass over the training sessions came to.
struct FitPass {
  double loss = 0;           // mean while the parameters changed, or before they did
  double learning_rate = 0;  // of its last step; 0 if there is none
};

/// How far a fitter is: with the parameters and their states all that it takes to go on.
struct FitProgress {
  std::int64_t steps = 0;  // of an optimizer, or passes of a fitter that makes none
  // Of the pass that has begun, over its steps so far:
  std::uint64_t sessions = 0;
  double loss = 0, units = 0;  // as BatchLoss
  double learning_rate = 0;    // of the last

  friend bool operator==(const FitProgress&, const FitProgress&) = default;
};

/// Fits the parameters of a model by passes over its training sessions. Parameters and results do
/// not depend on the number of threads, to the bit.
class Fitter {
 public:
  virtual ~Fitter() = default;
  /// One pass, or what is left of the one that has begun; epochs count from 1. `progress` is called
  /// with the number of sessions done, when no step is half done; what it throws ends the pass
  /// there.
  virtual FitPass pass(std::int64_t epoch, const std::function<void(std::size_t)>& progress) = 0;
  /// Where it is, between passes and while `progress` is called. A fitter whose passes are single
  /// steps is where its pass began until that ends.
  virtual FitProgress progress() const = 0;
  /// Goes on from there, to the same bits. The parameters and their states must be those of then.
  virtual void resume(const FitProgress& progress) = 0;
  /// Whether a further pass would change nothing.
  virtual bool finished() const { return false; }
};

/// What fitting needs beside the options of how; all of it must outlive the fitter.
struct FitSetting {
  const TrainableModel& model;
  const SessionLog& train;
  const TrainOptions& options;
  std::uint64_t seed = 1;
  int threads = 1;
};

}  // namespace ultr
