#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "base/threads/number_range.h"
#include "base/threads/worker_team.h"
#include "data/log/session_log.h"
#include "dsl/divided_model.h"
#include "dsl/programs/click_program.h"
#include "training/shards/packed_shards.h"
#include "training/shards/shard_gradients.h"

namespace ultr {

/// A parallel pass of a program that is a sum (a log-likelihood, or tosses) over all sessions of a
/// log. Gradients are summed in double precision, shard after shard, so results do not depend on
/// the number of threads.
///
/// If several processes train the model, all must make the same passes. They take neighbouring
/// shards, a few at a time, and each sums the gradients of its own table rows in the order of the
/// shards. Results are bit-identical to those of one process.
class LogPass {
 public:
  /// `model` and `log` must outlive this object, and the log must not change. Its shards are kept
  /// packed if PackedShards keeps them.
  LogPass(const TrainableModel& model, ProgramKind kind, const SessionLog& log, int threads);

  /// Returns minus the sum of the program's loss over all shards, such as the log-likelihood. Calls
  /// `progress` with the number of sessions done, on the calling thread.
  double operator()(const std::function<void(std::size_t)>& progress = {});
  /// Returns the derivatives of the last sum with respect to a parameter of the model, row by row:
  /// [rows x columns]. Of a divided table, these are the rows that this process holds.
  const std::vector<double>& gradient(const Parameter* parameter) const {
    return gradients_[number_of(parameter)];
  }
  /// Returns the tables that several processes share; null if there is one process.
  const DividedTables* divided() const { return divided_.get(); }

 private:
  std::size_t number_of(const Parameter* parameter) const;
  /// Adds gradients of table rows to their sums, in order. Skips rows that `owner` does not own.
  void add_rows(EmbeddingTable& table, std::span<const std::uint32_t> rows, const float* values,
                RowOwner owner = {});
  /// Computes the value and the gradients of a shard, the one at `place` of the wave. Rows have
  /// `owners` owners.
  void run_shard(std::size_t worker, std::size_t number, std::size_t place, std::size_t owners);
  /// Adds the gradients of table rows of one owner, from the first `shards` shards of the wave.
  void add_tables(std::size_t shards, RowOwner owner);
  /// Adds the loss and the dense gradients of a shard.
  void add_dense(double loss, std::span<const float> dense);
  void run_alone(const std::function<void(std::size_t)>& progress);
  void run_with_others(const std::function<void(std::size_t)>& progress);
  /// Packs this process's part of `count` shards, from number `first` on.
  void pack(std::size_t first, std::size_t count, std::vector<Shard>& batch);
  /// Computes the gradients of a part of the shards of the batch, and lists those of rows.
  void run_part(NumberRange part);
  /// Computes the gradients of the shards of the batch, sends those of rows to the processes that
  /// hold them, and adds what all processes send here. Asks for the rows of the next batch, if
  /// there is one.
  void run_batch(bool has_next);

  const SessionLog& log_;
  WorkerTeam workers_;
  ParameterLayout layout_;
  std::vector<Parameter*> parameters_;
  std::vector<ClickPrograms> programs_;  // one per worker
  std::vector<ShardGradients> wave_;     // one per shard of a group that runs together
  PackedShards shards_;
  std::vector<std::vector<double>> gradients_;
  double value_ = 0;
  // With several processes:
  std::unique_ptr<DividedTables> divided_;
  std::vector<Shard> batch_, next_batch_;  // the shards of this process that run together
  std::vector<RowGradientsView> entries_;
  std::vector<std::byte> sent_;
  std::vector<float> dense_;  // of one shard
};

}  // namespace ultr
