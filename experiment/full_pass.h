#pragma once

#include <functional>
#include <vector>

#include "data/session_log.h"
#include "experiment/shard_gradients.h"
#include "models/click_program.h"

namespace ultr {

/// Runs a program that is a sum (a loss, or tosses) over all sessions of a log, in parallel, and
/// sums its gradients in double precision, shard after shard: results do not depend on the number
/// of threads.
class FullPass {
 public:
  FullPass(const TrainableModel& model, ProgramKind kind, int threads);

  struct Sums {
    double value = 0;  // of the program
    /// Of d value / d parameters, in the order of TrainableModel::parameters(), row by row.
    std::vector<std::vector<double>> gradients;
  };
  /// `progress` is called with the number of sessions done, on the calling thread.
  const Sums& operator()(const SessionLog& log, const std::function<void(std::size_t)>& progress);

 private:
  std::vector<double>& sum_of(const Parameter* parameter);
  void add_tables(std::size_t shards, RowOwner owner);

  int threads_;
  ParameterLayout layout_;
  std::vector<Parameter*> parameters_;
  std::vector<ClickPrograms> programs_;  // one a worker
  std::vector<ShardGradients> wave_;     // of the shards that run together
  std::vector<Shard> shards_;
  Sums sums_;
};

}  // namespace ultr
