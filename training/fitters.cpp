#include "training/fitters.h"

#include <deque>
#include <optional>
#include <utility>

#include <fmt/core.h>

#include "base/error.h"
#include "base/log.h"
#include "optim/schedule.h"
#include "training/boosting_fitter.h"
#include "training/coin_fitter.h"
#include "training/process_shards.h"
#include "training/shards/epoch_sessions.h"
#include "training/shards/partitions.h"
#include "training/training_step.h"

namespace ultr {
namespace {

/// Returns the number of partitions of the training log. Warns if it exceeds the number of shards.
/// Throws ConfigError if it is below the number of processes.
std::size_t count_partitions(const FitSetting& setting) {
  const std::int64_t processes = count_processes(setting.model.setting().processes);
  const std::int64_t given = setting.options.partitions;
  if (given > 0 && given < processes)
    throw ConfigError(fmt::format(
        "train.partitions is {}; expected at least {}, the number of processes", given, processes));
  const auto count = static_cast<std::size_t>(given > 0 ? given : processes);
  const std::size_t shards = shards_of(setting.train.sessions());
  if (count > shards)
    log().warn(
        "the training log has {} partitions (train.partitions, at least one per process) but only "
        "{} of {} sessions: {} of the partitions are empty, and steps take fewer sessions than "
        "train.batch_size",
        count, shards == 1 ? "one shard" : fmt::format("{} shards", shards), shard_sessions,
        count - shards);
  return count;
}

/// Returns the seed of the order of a partition's sessions.
std::uint64_t seed_of(std::uint64_t seed, std::size_t part) {
  return seed + part * 0x9E3779B97F4A7C15u;
}

/// A fitter that runs optimizer steps over batches of shuffled sessions.
class GradientFitter final : public Fitter {
 public:
  /// `options` must outlive the fitter. Throws ConfigError if train.partitions is below the number
  /// of processes or above train.batch_size.
  GradientFitter(const OptimizerOptions& options, const FitSetting& setting)
      : options_(options),
        setting_(setting),
        optimizer_(options.build()),
        step_(setting.model, *optimizer_,
              {.mean = setting.options.mean(),
               .lazy = options.lazy,
               .clip_norm = options.clip_norm,
               .seed = setting.seed,
               .threads = setting.threads}),
        partitions_(setting.train.sessions(), static_cast<std::size_t>(setting.options.batch_size),
                    count_partitions(setting)) {
    optimizer_->attach(setting.model.parameters());
    if (setting.train.has_weights())
      log().info(
          "{}: {} lists stand for {:.6g} sessions; a batch has train.batch_size ({}) lists, an "
          "epoch "
          "{} steps",
          setting.model.type(), setting.train.sessions(), setting.train.weighted_sessions(),
          setting.options.batch_size, partitions_.steps());
  }

  /// Throws Diverged if the loss is not finite.
  PassResult pass(std::int64_t epoch, const std::function<void(std::size_t)>& progress) override {
    const auto& schedule = options_.schedule.as<ScheduleOptions>();
    const auto total_steps =
        static_cast<std::int64_t>(partitions_.steps()) * setting_.options.epochs;

    const NumberRange own =
        part_of_process(setting_.model.setting().processes, partitions_.count());
    std::deque<EpochSessions> sessions;  // one per partition of this process
    for (std::size_t part = own.first; part < own.last; ++part)
      sessions.emplace_back(setting_.train, partitions_.sessions(part),
                            seed_of(setting_.seed, part), epoch, setting_.options.shuffle,
                            step_.workers());
    std::vector<SessionSelection> selections;
    const auto pack = [&](std::size_t step, std::vector<Shard>& batch) {
      selections.clear();
      for (std::size_t part = own.first; part < own.last && step < partitions_.steps(); ++part)
        if (const NumberRange places = partitions_.places(part, step); places.size() > 0)
          selections.push_back(sessions[part - own.first].at(places.first, places.size()));
      step_.pack(selections, batch);
    };
    // Batches are packed one ahead, so that a step can get the rows that the next one reads.
    const std::size_t begin = partitions_.step_after(progress_.sessions);
    pack(begin, next_batch_);
    for (std::size_t step = begin; step < partitions_.steps(); ++step) {
      std::swap(batch_, next_batch_);
      step_.begin(batch_);
      pack(step + 1, next_batch_);
      progress_.learning_rate =
          options_.learning_rate * schedule.factor(progress_.steps, total_steps);
      std::optional<std::span<const Shard>> next;
      if (step + 1 < partitions_.steps()) next = next_batch_;
      const BatchLoss loss = step_(batch_, progress_.learning_rate, next);
      progress_.steps = optimizer_->steps();
      progress_.sessions = partitions_.sessions_before(step + 1);
      progress_.loss += loss.sum;
      progress_.units += loss.units;
      if (progress) progress(progress_.sessions);
    }
    const PassResult result{.loss = progress_.loss / progress_.units,
                            .learning_rate = progress_.learning_rate};
    progress_ = {.steps = progress_.steps};
    return result;
  }
  FitProgress progress() const override { return progress_; }
  void resume(const FitProgress& progress) override {
    progress_ = progress;
    optimizer_->set_steps(progress.steps);
  }

 private:
  const OptimizerOptions& options_;
  FitSetting setting_;
  std::unique_ptr<Optimizer> optimizer_;
  TrainingStep step_;
  Partitions partitions_;
  std::vector<Shard> batch_, next_batch_;
  FitProgress progress_;
};

}  // namespace

std::unique_ptr<Fitter> make_fitter(const FitOptions& options, const FitSetting& setting) {
  if (const auto* em = dynamic_cast<const EmOptions*>(&options))
    return make_em_fitter(*em, setting);
  if (const auto* counting = dynamic_cast<const CountingOptions*>(&options))
    return make_counting_fitter(*counting, setting);
  const auto& optimizer = dynamic_cast<const OptimizerOptions&>(options);
  const auto make = [&](const FitSetting& own) -> std::unique_ptr<Fitter> {
    return std::make_unique<GradientFitter>(optimizer, own);
  };
  if (tree_towers(setting.model).empty()) return make(setting);
  return std::make_unique<BoostingFitter>(setting, make);
}

}  // namespace ultr
