#pragma once

#include <functional>
#include <vector>

#include "base/threads/worker_team.h"
#include "data/log/session_log.h"
#include "dsl/programs/click_program.h"
#include "training/shards/packed_shards.h"
#include "training/shards/shard_gradients.h"

namespace ultr {

/// A parallel pass of a program that is a sum (a log-likelihood, or tosses) over all sessions of a
/// log. Gradients are summed in double precision, shard after shard, so results do not depend on
/// the number of threads.
class LogPass {
 public:
  /// `model` and `log` must outlive this object, and the log must not change. Its shards are kept
  /// packed if PackedShards keeps them.
  LogPass(const TrainableModel& model, ProgramKind kind, const SessionLog& log, int threads);

  /// Returns minus the sum of the program's loss over all shards, such as the log-likelihood. Calls
  /// `progress` with the number of sessions done, on the calling thread.
  double operator()(const std::function<void(std::size_t)>& progress = {});
  /// Returns the derivatives of the last sum with respect to a parameter of the model, row by row:
  /// [rows x columns].
  const std::vector<double>& gradient(const Parameter* parameter) const {
    return gradients_[number_of(parameter)];
  }

 private:
  std::size_t number_of(const Parameter* parameter) const;
  void add_rows(EmbeddingTable& table, std::span<const std::uint32_t> rows, const float* values);
  /// Computes the value and the gradients of a shard, the one at `place` of the wave. Rows have
  /// `owners` owners.
  void run_shard(std::size_t worker, std::size_t number, std::size_t place, std::size_t owners);
  /// Adds the gradients of table rows of one owner, from the first `shards` shards of the wave.
  void add_tables(std::size_t shards, RowOwner owner);

  const SessionLog& log_;
  WorkerTeam workers_;
  ParameterLayout layout_;
  std::vector<Parameter*> parameters_;
  std::vector<ClickPrograms> programs_;  // one per worker
  std::vector<ShardGradients> wave_;     // one per shard of a group that runs together
  PackedShards shards_;
  std::vector<std::vector<double>> gradients_;
};

}  // namespace ultr
