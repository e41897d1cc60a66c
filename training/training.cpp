#include "training/training.h"

#include <chrono>

#include <fmt/core.h>

#include "base/error.h"

namespace ultr {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void copy_values(const std::vector<Parameter*>& parameters,
                 std::vector<std::vector<float>>& values) {
  values.clear();  // frees the old values first
  for (const Parameter* parameter : parameters) values.push_back(parameter->values());
}

void assign_values(const std::vector<Parameter*>& parameters,
                   const std::vector<std::vector<float>>& values) {
  if (values.size() != parameters.size())
    throw Error(fmt::format("the best epoch has {} parameters; expected {}, as in the model",
                            values.size(), parameters.size()));
  for (std::size_t i = 0; i < parameters.size(); ++i) parameters[i]->assign(values[i]);
}

/// Returns the number of epochs since the best one.
std::int64_t epochs_in_vain(const TrainingResult& done) {
  return static_cast<std::int64_t>(done.epochs.size()) - done.best_epoch;
}

}  // namespace

double ValidationScores::operator[](std::string_view name) const {
  for (const MetricValue& score : values)
    if (score.name == name) return score.value;
  return std::numeric_limits<double>::quiet_NaN();
}

TrainingResult train_model(const TrainableModel& model, Fitter& fitter, const TrainOptions& options,
                           const Dataset& dataset, int threads, const TrainingObserver& observer) {
  TrainingState state;
  train_model(model, fitter, options, dataset, threads, observer, state);
  return state.done;
}

void train_model(const TrainableModel& model, Fitter& fitter, const TrainOptions& options,
                 const Dataset& dataset, int threads, const TrainingObserver& observer,
                 TrainingState& state) {
  const bool validates = dataset.valid.sessions() > 0;
  TrainingResult& done = state.done;
  const Clock::time_point start = Clock::now();
  const double seconds_before = done.seconds;
  const auto show_state = [&] {
    state.fit = fitter.progress();
    done.seconds = seconds_before + seconds_since(start);
    if (observer.state) observer.state(state);
  };
  const auto is_over = [&] {
    return static_cast<std::int64_t>(done.epochs.size()) >= options.epochs || fitter.finished() ||
           (validates && options.early_stopping > 0 &&
            epochs_in_vain(done) >= options.early_stopping);
  };

  fitter.resume(state.fit);
  while (!is_over()) {
    EpochResult current{.stage = model.type(),
                        .epoch = static_cast<std::int64_t>(done.epochs.size()) + 1};
    const Clock::time_point epoch_start = Clock::now();
    const double epoch_seconds_before = state.epoch_seconds;
    const auto epoch_seconds = [&] { return epoch_seconds_before + seconds_since(epoch_start); };
    const PassResult pass = fitter.pass(current.epoch, [&](std::size_t sessions_done) {
      if (observer.step) observer.step(current.epoch, sessions_done);
      state.epoch_seconds = epoch_seconds();
      show_state();
    });
    state.epoch_seconds = 0;
    current.train_loss = pass.loss;
    current.learning_rate = pass.learning_rate;
    current.seconds = epoch_seconds();
    current.sessions_per_second = static_cast<double>(dataset.train.sessions()) / current.seconds;

    if (validates) {
      current.valid.emplace(evaluate_clicks(model, dataset.valid, options.mean(), threads));
      current.best = current.epoch == 1 || current.valid->loss() < state.best_loss;
    }
    if (current.best) {
      state.best_loss = current.valid->loss();
      copy_values(model.parameters(), state.best);
    }
    if (current.best || !validates) done.best_epoch = current.epoch;
    done.epochs.push_back(current);
    if (observer.epoch) observer.epoch(done.epochs.back());
    show_state();
  }
  if (epochs_in_vain(done) > 0 && !state.best.empty())
    assign_values(model.parameters(), state.best);
  state.best = {};  // the parameters have these values
  done.seconds = seconds_before + seconds_since(start);
}

}  // namespace ultr
