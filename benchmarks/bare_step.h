#pragma once

#include <memory>
#include <span>
#include <string>

#include "training/training_step.h"

namespace ultr::bench {

/// The learning rate of all timed steps.
inline constexpr double learning_rate = 0.01;

/// Builds a model of `rows` query-document pairs and list_length positions whose tables have no
/// baselines, so a pair's logit is its row alone. Logits of pairs start near 0, all others at 0.
TrainableModel plain_model(const std::string& type, std::int64_t rows,
                           Communicator* processes = nullptr);

/// The bare training step: forward pass, backward pass and update by lazy Adam without decay, on
/// shards that are already packed in memory.
class BareStep {
 public:
  /// The model and the shards, at least one batch of them, must outlive the step. The model's
  /// parameters get new optimizer states, in new memory, table by table.
  BareStep(const TrainableModel& model, std::span<const Shard> shards, std::int64_t batch,
           int threads);

  /// Steps on the next batch; after the last batch the first comes again.
  BatchLoss operator()();
  /// The number of batches in one round over the shards.
  std::size_t batches() const { return shards_.size() / shards_of_batch_; }

 private:
  /// Returns the batch that begins at next_; after the last batch, the first.
  std::span<const Shard> next_batch();

  std::span<const Shard> shards_;
  std::size_t shards_of_batch_, next_ = 0;
  std::unique_ptr<Optimizer> optimizer_;
  TrainingStep step_;
};

}  // namespace ultr::bench
