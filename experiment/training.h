#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "data/dataset.h"
#include "experiment/evaluation.h"
#include "experiment/fitter.h"

namespace ultr {

/// What one epoch came to.
struct EpochResult {
  std::string stage{};       // what was trained: the type of the model or of its stage
  std::int64_t epoch = 0;    // from 1
  double learning_rate = 0;  // of its last step
  double train_loss = 0;     // mean over its documents (or sessions) while the parameters changed
  std::optional<ClickEvaluation> valid{};
  bool best = false;   // the best validation loss so far
  double seconds = 0;  // of training, without validation
  double sessions_per_second = 0;
};

struct TrainingResult {
  std::vector<EpochResult> epochs;
  std::int64_t best_epoch = 0;  // the one whose parameters the model has
  double seconds = 0;           // of training and validation
};

/// Who watches training.
struct TrainingObserver {
  /// After a step: sessions done in this epoch.
  std::function<void(std::int64_t epoch, std::size_t sessions_done)> step;
  /// After an epoch, its validation included.
  std::function<void(const EpochResult&)> epoch;
};

/// Trains a model: passes of a fitter over the training sessions, each followed by validation. Ends
/// after the given epochs, when the fitter has finished, or when the validation loss has stopped
/// falling, and restores the parameters of the best epoch. Without validation data all epochs run
/// and the last parameters stay. Parameters and results do not depend on `threads`, to the bit.
TrainingResult train_model(const TrainableModel& model, Fitter& fitter, const TrainOptions& options,
                           const Dataset& dataset, int threads, const TrainingObserver& observer);

}  // namespace ultr
