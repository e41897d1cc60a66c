#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/threads/number_range.h"
#include "base/threads/worker_team.h"
#include "data/log/shard.h"
#include "dsl/divided_model.h"
#include "dsl/programs/click_program.h"
#include "optim/optimizer.h"
#include "training/diverged.h"
#include "training/shards/epoch_sessions.h"
#include "training/shards/shard_gradients.h"

namespace ultr {

/// Settings of a training step.
struct StepSettings {
  LossMean mean = LossMean::documents;
  /// Update only rows that the step read (see Optimizer).
  bool lazy = true;
  /// Largest Euclidean norm of the gradient over all parameters; a longer gradient is scaled down.
  /// 0: no limit.
  double clip_norm = 0;
  /// Seed of the random numbers of training, such as those of dropout.
  std::uint64_t seed = 1;
  /// Number of threads to use at most (see TeamSize). Results are bit-identical for any number.
  int threads = 1;
};

/// The loss of a batch before division: its mean is sum / units.
struct BatchLoss {
  double sum = 0;    // of negative log-likelihoods, weighted as LossMean says
  double units = 0;  // documents, or sessions, by the weights of sessions
};

/// A training step: forward and backward over the shards of a batch, in parallel; gradients summed
/// in the order of the shards; one update. Rows of tables are dealt to owners (RowOwner), as many
/// as workers; each owner's rows are summed and updated by one thread. Bits depend neither on the
/// number of owners nor on who does what.
///
/// If several processes train a model together, each takes some shards of the batch: the batch is
/// the shards of process 0, then those of process 1, and so on. All get the same loss and dense
/// parameters, and their rows are bit-identical to those of one process with all shards.
class TrainingStep {
 public:
  TrainingStep(const TrainableModel& model, Optimizer& optimizer, const StepSettings& settings);

  /// The threads of the step, for other work between steps.
  WorkerTeam& workers() { return workers_; }

  /// Begins a step on the shards of this process, which go to operator() next: of several
  /// processes, the rows that they read travel here while the next batch is packed.
  void begin(std::span<const Shard> batch);
  /// Packs sessions into the shards of a batch, in parallel, reusing their memory. Each part gets
  /// shards of its own.
  void pack(std::span<const SessionSelection> parts, std::vector<Shard>& batch);
  void pack(const SessionSelection& sessions, std::vector<Shard>& batch) {
    pack({&sessions, 1}, batch);
  }
  /// Runs one step on the shards of this process. Throws Diverged if the loss of the whole batch is
  /// not finite. `next`, if known, is the batch of the next step: its rows are prefetched into the
  /// cache, or asked for. Of several processes all must know it or none, and it must be what comes
  /// next.
  BatchLoss operator()(std::span<const Shard> batch, double learning_rate,
                       std::optional<std::span<const Shard>> next = {});

 private:
  /// A batch in a process: its units (BatchLoss) and its number of shards.
  using BatchCounts = std::array<double, 2>;

  BatchCounts count(std::span<const Shard> batch) const;
  /// Waits for the rows of the batch from the other processes. Returns its units in all of them,
  /// and the number of shards in those before this one.
  BatchCounts finish_fetch();
  /// True if gradients of the first half of the shards are sent while the others run.
  bool sends_in_two_parts() const;
  /// Runs a part of the shards and lists their gradients of rows.
  void run_shards(std::span<const Shard> batch, NumberRange part,
                  std::optional<std::span<const Shard>> next, const NoiseKey& noise, double seed,
                  std::size_t workers);
  /// Computes the gradients of a shard. Rows have `owners` owners; if only one, adds the gradients
  /// to their records.
  void run_shard(std::size_t worker, const Shard& shard, std::size_t number, const NoiseKey& noise,
                 double seed, const Shard* next, std::size_t owners);
  /// Sums losses and dense gradients and lists the gradients of rows that are summed here. Returns
  /// the loss.
  double sum_shards(std::size_t shards, std::optional<std::span<const Shard>> next);
  double sum_of_all_processes(std::size_t shards, std::optional<std::span<const Shard>> next);
  double clipping_factor() const;
  /// Visits the dealt gradients of the last batch, shard by shard.
  template <class Visit>
  void for_each_dealt(Visit visit) const;
  void sum_tables(RowOwner owner);
  void update_tables(float scale, RowOwner owner);

  Optimizer& optimizer_;
  StepSettings settings_;
  WorkerTeam workers_;
  ParameterLayout layout_;
  std::unique_ptr<DividedTables> divided_;  // null if there is one process
  std::vector<ClickPrograms> programs_;     // one per worker
  std::vector<ShardGradients> gradients_;
  std::size_t shards_ = 0;  // of the last batch
  std::vector<float> dense_sum_;
  std::vector<RowGradientsView> entries_;  // of this process's shards, in their order
  std::vector<RowGradientsView> summed_;   // of rows that this process sums, in order
  std::size_t sent_entries_ = 0;           // those that are being sent while other shards run
  bool next_is_asked_ = false;             // the other processes, for the rows of the next batch
  bool begun_ = false;                     // the next step
  std::vector<std::byte> sent_;            // losses and dense gradients of this process's shards
  std::vector<float> dense_;               // gradients of one shard
};

}  // namespace ultr
