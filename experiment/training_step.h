#pragma once

#include <memory>
#include <span>
#include <vector>

#include "data/shard.h"
#include "experiment/shard_gradients.h"
#include "models/click_program.h"
#include "optim/optimizer.h"

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
class TrainingStep {
 public:
  TrainingStep(const TrainableModel& model, Optimizer& optimizer, const StepSettings& settings);

  /// Packs sessions of a log into the shards of a batch, in parallel, reusing their memory.
  void pack(const SessionLog& log, std::span<const std::uint32_t> sessions,
            std::vector<Shard>& batch) const;
  /// One step. Throws Error if the loss is not finite.
  BatchLoss operator()(std::span<const Shard> batch, double learning_rate);

 private:
  void run_shard(std::size_t worker, const Shard& shard, const NoiseKey& noise, double seed,
                 ShardGradients& result);
  double clipping_factor(std::size_t shards) const;
  void update_tables(std::size_t shards, float scale, RowOwner owner);

  Optimizer& optimizer_;
  StepSettings settings_;
  ParameterLayout layout_;
  std::vector<ClickPrograms> programs_;  // one a worker
  std::vector<ShardGradients> gradients_;
  std::vector<float> dense_sum_;
};

}  // namespace ultr
