#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/worker_team.h"
#include "data/log/shard.h"
#include "models/click_program.h"
#include "models/divided_model.h"
#include "optim/optimizer.h"
#include "training/epoch_sessions.h"
#include "training/shard_gradients.h"

namespace ultr {

/// How a step is made of gradients.
struct StepSettings {
  LossMean mean = LossMean::documents;
  /// Update only rows that the step read (see Optimizer).
  bool lazy = true;
  /// Longest gradient, in the Euclidean norm over all parameters; longer ones are scaled down. 0:
  /// any.
  double clip_norm = 0;
  /// Of the random numbers of training, such as those of dropout.
  std::uint64_t seed = 1;
  /// Threads to use; results do not depend on it, to the bit.
  int threads = 1;
};

/// The loss of a batch before it is divided: a mean is sum / units.
struct BatchLoss {
  double sum = 0;    // of negative log-likelihoods, as LossMean says
  double units = 0;  // documents, or sessions
};

/// Runs training steps: forward and backward over the shards of a batch, in parallel; gradients
/// summed in the order of the shards; one update. Each row of a table is summed and updated by one
/// thread.
///
/// Of a model that several processes train together, each takes some shards of the batch: it is
/// those of process 0, then of 1, and so on. All come to the same loss and dense parameters, and to
/// the same rows as one process with all shards, to the bit.
class TrainingStep {
 public:
  TrainingStep(const TrainableModel& model, Optimizer& optimizer, const StepSettings& settings);

  /// The threads of the step, for what has to be done between steps.
  WorkerTeam& workers() { return workers_; }

  /// Packs sessions into the shards of a batch, in parallel, reusing their memory; those of each
  /// part into shards of their own.
  void pack(std::span<const SessionSelection> parts, std::vector<Shard>& batch);
  void pack(const SessionSelection& sessions, std::vector<Shard>& batch) {
    pack({&sessions, 1}, batch);
  }
  /// One step, on the shards that this process takes. Throws Error if the loss of the whole batch
  /// is not finite. `next`, if known, is the batch of the step after: its rows are fetched into the
  /// cache meanwhile.
  BatchLoss operator()(std::span<const Shard> batch, double learning_rate,
                       std::span<const Shard> next = {});

 private:
  /// Of the shards of all processes.
  struct WholeBatch {
    double units = 0;
    std::size_t shards_before = 0;  // this process's
  };

  WholeBatch count_whole(std::span<const Shard> batch) const;
  void run_shard(std::size_t worker, const Shard& shard, std::size_t number, const NoiseKey& noise,
                 double seed, const Shard* next);
  /// Sums losses and dense gradients, and lists the gradients of rows that are summed here.
  double sum_shards(std::size_t shards);
  double sum_of_all_processes(std::size_t shards);
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
  std::unique_ptr<DividedTables> divided_;  // null: one process
  std::vector<ClickPrograms> programs_;     // one a worker
  std::vector<ShardGradients> gradients_;
  std::size_t shards_ = 0;  // of the last batch
  std::vector<float> dense_sum_;
  std::vector<const RowGradients*> entries_;  // of this process's shards, in their order
  std::vector<const RowGradients*> summed_;   // of rows that are summed here, in order
  /// Losses and dense gradients: of this process's shards, of all, and of one shard.
  std::vector<std::byte> sent_;
  Messages received_;
  std::vector<float> dense_;
};

}  // namespace ultr
