#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/log/dataset.h"
#include "training/evaluation.h"
#include "training/fitters.h"

namespace ultr {

/// The scores of a model on the validation sessions: the measures with one number in
/// ClickEvaluation::measures. All but the loss are NaN if the model predicts no clicks.
struct ValidationScores {
  std::vector<MetricValue> values{};

  ValidationScores() = default;
  explicit ValidationScores(const ClickEvaluation& evaluation) : values(evaluation.values()) {}

  /// Returns the value of a measure; NaN if there is none with this name.
  double operator[](std::string_view name) const;
  double loss() const { return (*this)["loss"]; }
};

/// The results of one epoch.
struct EpochResult {
  std::string stage{};       // type of the model, or of the stage, that was trained
  std::int64_t epoch = 0;    // from 1
  double learning_rate = 0;  // of the last step
  double train_loss = 0;     // mean over documents (or sessions) during the epoch
  std::optional<ValidationScores> valid{};
  bool best = false;   // has the best validation loss so far
  double seconds = 0;  // of training, without validation
  double sessions_per_second = 0;
};

/// The results of training, epoch by epoch.
struct TrainingResult {
  std::vector<EpochResult> epochs;
  std::int64_t best_epoch = 0;  // the epoch whose parameters the model has
  double seconds = 0;           // of training and validation
  /// Why the model is of no use beyond its best epoch, or at all: one line. Empty unless training
  /// diverged.
  std::string divergence{};
};

/// The state of training between two steps. With the parameters and their states, it is all that
/// resuming needs.
struct TrainingState {
  std::vector<TrainingResult> earlier{};  // one per earlier stage (TrainableModel::stages)
  FitProgress fit{};
  TrainingResult done{};     // finished epochs, validation included
  double epoch_seconds = 0;  // of the current epoch, so far
  double best_loss = std::numeric_limits<double>::infinity();  // on the validation sessions
  /// Parameter values after the best epoch, one vector per parameter. Empty if no epoch was
  /// validated, or after training, when the parameters have them.
  std::vector<std::vector<float>> best{};
};

/// Callbacks that observe training. Each may be empty.
struct TrainingObserver {
  /// Called between steps with the number of sessions done in this epoch.
  std::function<void(std::int64_t epoch, std::size_t sessions_done)> step{};
  /// Called after an epoch and its validation.
  std::function<void(const EpochResult&)> epoch{};
  /// Called after both of the above with the state of training. An exception from it ends training.
  std::function<void(const TrainingState&)> state{};
};

/// Trains a model: passes of a fitter over the training sessions, each followed by validation.
/// Training ends after options.epochs epochs, when the fitter has finished, or when the validation
/// loss has not improved for options.early_stopping epochs (0: never). Then the parameters of the
/// best epoch are restored. Without validation data, or with a fitter that ends by itself, all
/// epochs run and the last parameters stay.
///
/// Training that diverges is warned of after the epoch. If a loss is no number, training ends, and
/// the parameters of the best epoch are restored; TrainingResult::divergence says so. Throws
/// Diverged if no validated epoch is worth keeping. `divergence` also names a best epoch that
/// predicts worse than any model should. Parameters and results are bit-identical for any
/// `threads`.
TrainingResult train_model(const TrainableModel& model, Fitter& fitter, const TrainOptions& options,
                           const Dataset& dataset, int threads, const TrainingObserver& observer);

/// Resumes training from a state that an observer saw, with parameters and their states as they
/// were then. Results are bit-identical to those of training without a stop, times excepted.
/// `state` becomes the state at the end; its `done` is the result. Throws Error if the state
/// belongs to another model.
void train_model(const TrainableModel& model, Fitter& fitter, const TrainOptions& options,
                 const Dataset& dataset, int threads, const TrainingObserver& observer,
                 TrainingState& state);

}  // namespace ultr
