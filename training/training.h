#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "data/log/dataset.h"
#include "training/evaluation.h"
#include "training/fitter.h"

namespace ultr {

/// How well a model does on validation sessions; NaN, except for the loss, if it predicts no
/// clicks.
struct ValidationScores {
  double loss = 0;
  double log_likelihood = 0;  // of conditional click probabilities, a document
  double perplexity = 0, conditional_perplexity = 0;
  double perplexity_rank_mean = 0, conditional_perplexity_rank_mean = 0;

  ValidationScores() = default;
  explicit ValidationScores(const ClickEvaluation& evaluation);
};

/// What one epoch came to.
struct EpochResult {
  std::string stage{};       // what was trained: the type of the model or of its stage
  std::int64_t epoch = 0;    // from 1
  double learning_rate = 0;  // of its last step
  double train_loss = 0;     // mean over its documents (or sessions) while the parameters changed
  std::optional<ValidationScores> valid{};
  bool best = false;   // the best validation loss so far
  double seconds = 0;  // of training, without validation
  double sessions_per_second = 0;
};

struct TrainingResult {
  std::vector<EpochResult> epochs;
  std::int64_t best_epoch = 0;  // the one whose parameters the model has
  double seconds = 0;           // of training and validation
};

/// Where training is between two steps: with the parameters and their states all that it takes to
/// go on.
struct TrainingState {
  std::vector<TrainingResult> earlier{};  // of the stages before this one (TrainableModel::stages)
  FitProgress fit{};
  TrainingResult done{};     // epochs that have ended, their validation included
  double epoch_seconds = 0;  // of the epoch that has begun
  double best_loss = std::numeric_limits<double>::infinity();  // on the validation sessions
  /// Values of the parameters after the best epoch, one by one; empty: no epoch was validated, or
  /// training is over and the parameters have them.
  std::vector<std::vector<float>> best{};
};

/// Who watches training.
struct TrainingObserver {
  /// After a step: sessions done in this epoch.
  std::function<void(std::int64_t epoch, std::size_t sessions_done)> step{};
  /// After an epoch, its validation included.
  std::function<void(const EpochResult&)> epoch{};
  /// After both: where training is. What it throws ends training.
  std::function<void(const TrainingState&)> state{};
};

/// Trains a model: passes of a fitter over the training sessions, each followed by validation. Ends
/// after the given epochs, when the fitter has finished, or when the validation loss has stopped
/// falling, and restores the parameters of the best epoch. Without validation data all epochs run
/// and the last parameters stay. Parameters and results do not depend on `threads`, to the bit.
TrainingResult train_model(const TrainableModel& model, Fitter& fitter, const TrainOptions& options,
                           const Dataset& dataset, int threads, const TrainingObserver& observer);

/// The same from a state that an observer saw, with parameters and their states as they were then:
/// goes on from there to the same bits (times aside), up to the state at the end, whose `done` is
/// the result. Throws Error if the state is not of such a model.
void train_model(const TrainableModel& model, Fitter& fitter, const TrainOptions& options,
                 const Dataset& dataset, int threads, const TrainingObserver& observer,
                 TrainingState& state);

}  // namespace ultr
