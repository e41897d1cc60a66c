#include "experiment/training.h"

#include <chrono>
#include <limits>

namespace ultr {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// A copy of all parameters.
class Snapshot {
 public:
  explicit Snapshot(std::vector<Parameter*> parameters) : parameters_(std::move(parameters)) {}

  void take() {
    values_.clear();
    for (const Parameter* parameter : parameters_) values_.push_back(parameter->values());
  }
  void restore() const {
    for (std::size_t i = 0; i < parameters_.size(); ++i) parameters_[i]->assign(values_[i]);
  }

 private:
  std::vector<Parameter*> parameters_;
  std::vector<std::vector<float>> values_;
};

}  // namespace

TrainingResult train_model(const TrainableModel& model, Fitter& fitter, const TrainOptions& options,
                           const Dataset& dataset, int threads, const TrainingObserver& observer) {
  const bool validates = dataset.valid.sessions() > 0;
  TrainingResult result;
  Snapshot best(model.parameters());
  double best_loss = std::numeric_limits<double>::infinity();
  const Clock::time_point start = Clock::now();
  for (std::int64_t epoch = 1; epoch <= options.epochs && !fitter.finished(); ++epoch) {
    const Clock::time_point epoch_start = Clock::now();
    const FitPass pass = fitter.pass(epoch, [&](std::size_t sessions_done) {
      if (observer.step) observer.step(epoch, sessions_done);
    });
    EpochResult current;
    current.stage = model.type();
    current.epoch = epoch;
    current.train_loss = pass.loss;
    current.learning_rate = pass.learning_rate;
    current.seconds = seconds_since(epoch_start);
    current.sessions_per_second = static_cast<double>(dataset.train.sessions()) / current.seconds;

    if (validates) {
      current.valid = evaluate_clicks(model, dataset.valid, options.mean(), threads);
      current.best = epoch == 1 || current.valid->loss < best_loss;
    }
    if (current.best) {
      best_loss = current.valid->loss;
      best.take();
    }
    if (current.best || !validates) result.best_epoch = epoch;
    result.epochs.push_back(current);
    if (observer.epoch) observer.epoch(result.epochs.back());
    if (validates && options.early_stopping > 0 &&
        epoch - result.best_epoch >= options.early_stopping)
      break;
  }
  if (validates && result.best_epoch != result.epochs.back().epoch) best.restore();
  result.seconds = seconds_since(start);
  return result;
}

}  // namespace ultr
