#include "experiment/training.h"

#include <chrono>
#include <limits>
#include <numeric>

#include "autograd/random.h"
#include "experiment/training_step.h"
#include "optim/schedule.h"

namespace ultr {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// The order of sessions in an epoch: a function of seed and epoch alone.
std::vector<std::uint32_t> epoch_order(std::size_t sessions, std::uint64_t seed, std::int64_t epoch,
                                       bool shuffle) {
  std::vector<std::uint32_t> order(sessions);
  std::iota(order.begin(), order.end(), 0u);
  if (!shuffle) return order;
  RandomStream random(seed, RandomPurpose::shuffle, static_cast<std::uint32_t>(epoch), 0);
  for (std::size_t i = sessions; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  return order;
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

TrainingResult train_model(const TrainableModel& model, const OptimizerOptions& optimizer_options,
                           const TrainOptions& options, const Dataset& dataset, std::uint64_t seed,
                           int threads, const TrainingObserver& observer) {
  const auto optimizer = optimizer_options.build();
  optimizer->attach(model.parameters());
  TrainingStep step(model, *optimizer,
                    {.mean = options.mean(),
                     .lazy = optimizer_options.lazy,
                     .clip_norm = optimizer_options.clip_norm,
                     .threads = threads});
  const auto& schedule = optimizer_options.schedule.as<ScheduleOptions>();
  const SessionLog& log = dataset.train;
  const auto batch_size = static_cast<std::size_t>(options.batch_size);
  const std::size_t batches = (log.sessions() + batch_size - 1) / batch_size;
  const auto total_steps = static_cast<std::int64_t>(batches) * options.epochs;
  const bool validates = dataset.valid.sessions() > 0;

  TrainingResult result;
  Snapshot best(model.parameters());
  double best_loss = std::numeric_limits<double>::infinity();
  std::vector<Shard> batch;
  const Clock::time_point start = Clock::now();
  for (std::int64_t epoch = 1; epoch <= options.epochs; ++epoch) {
    const Clock::time_point epoch_start = Clock::now();
    EpochResult current;
    current.epoch = epoch;
    const auto order = epoch_order(log.sessions(), seed, epoch, options.shuffle);
    double units = 0;
    for (std::size_t begin = 0; begin < order.size(); begin += batch_size) {
      const auto sessions =
          std::span(order).subspan(begin, std::min(batch_size, order.size() - begin));
      step.pack(log, sessions, batch);
      const std::int64_t step_number = optimizer->steps();
      current.learning_rate =
          optimizer_options.learning_rate * schedule.factor(step_number, total_steps);
      const BatchLoss loss = step(batch, current.learning_rate);
      current.train_loss += loss.sum;
      units += loss.units;
      if (observer.step) observer.step(epoch, begin + sessions.size());
    }
    current.train_loss /= units;
    current.seconds = seconds_since(epoch_start);
    current.sessions_per_second = static_cast<double>(log.sessions()) / current.seconds;

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
