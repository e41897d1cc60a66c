#pragma once

#include <functional>
#include <vector>

#include "base/worker_team.h"
#include "data/log/session_log.h"
#include "models/click_program.h"
#include "training/shard_gradients.h"

namespace ultr {

/// Runs a program that is a sum (a log-likelihood, or tosses) over all sessions of a log, in
/// parallel, and sums its gradients in double precision, shard after shard: results do not depend
/// on the number of threads.
class FullPass {
 public:
  /// Model and log must outlive it, and the log stay as it is. From the second pass on, a log of up
  /// to a hundred million documents, which take some ten bytes each in shards, is kept packed; a
  /// larger one is packed in every pass.
  FullPass(const TrainableModel& model, ProgramKind kind, const SessionLog& log, int threads);

  /// Returns the sum of what the program is minus (a program is a loss). `progress` is called with
  /// the number of sessions done, on the calling thread.
  double operator()(const std::function<void(std::size_t)>& progress = {});
  /// The derivatives of the last sum with respect to a parameter of the model, row by row.
  const std::vector<double>& gradient(const Parameter* parameter) const {
    return gradients_[number_of(parameter)];
  }

 private:
  std::size_t number_of(const Parameter* parameter) const;
  const Shard& packed(std::size_t number, std::size_t worker);
  void add_rows(EmbeddingTable& table, std::span<const std::uint32_t> rows, const float* values);
  /// Adds the gradients of rows that a worker owns.
  void add_tables(std::size_t shards, std::size_t worker);

  const SessionLog& log_;
  int threads_;
  WorkerTeam workers_;
  ParameterLayout layout_;
  std::vector<Parameter*> parameters_;
  std::vector<ClickPrograms> programs_;  // one a worker
  std::vector<ShardGradients> wave_;     // of the shards that run together
  bool keeps_shards_ = false;
  std::vector<Shard> kept_;    // all of the log, or none
  std::vector<Shard> shards_;  // one a worker
  std::vector<std::vector<double>> gradients_;
};

}  // namespace ultr
