#pragma once

#include <memory>
#include <span>
#include <string>

#include "training/training_step.h"

namespace ultr::bench {

/// The learning rate of all steps that are timed.
inline constexpr double learning_rate = 0.01;

/// A model of `rows` query-document pairs and list_length positions whose tables have no baselines:
/// a pair's logit is its row alone. Logits of pairs start near 0, all others at 0.
TrainableModel plain_model(const std::string& type, std::int64_t rows);

/// The bare training step: forward, backward and update by lazy Adam without decay, on shards that
/// lie ready in memory.
class BareStep {
 public:
  /// Model and shards, at least a batch of them, must outlive it. The model's parameters get new
  /// states of the optimizer, in new memory, table by table.
  BareStep(const TrainableModel& model, std::span<const Shard> shards, std::int64_t batch,
           int threads);

  /// Steps on the next batch; after the last the first comes again.
  BatchLoss operator()();
  /// Batches of a round.
  std::size_t batches() const { return shards_.size() / shards_of_batch_; }

 private:
  /// The batch that begins at next_, the first one after the last.
  std::span<const Shard> next_batch();

  std::span<const Shard> shards_;
  std::size_t shards_of_batch_, next_ = 0;
  std::unique_ptr<Optimizer> optimizer_;
  TrainingStep step_;
};

}  // namespace ultr::bench
