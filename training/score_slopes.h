#pragma once

#include <functional>
#include <span>
#include <vector>

#include "base/threads/worker_team.h"
#include "dsl/programs/click_program.h"
#include "training/shards/packed_shards.h"
#include "training/training_step.h"

namespace ultr {

/// The derivatives of the loss of a whole log in the scores that layers give to rows of features
/// (FeatureScorer): sums over all documents with the same row. Sums are in float64 and in the order
/// of the shards, so they do not depend on the number of threads.
class ScoreSlopes {
 public:
  /// Rows of the features of the log's documents: the log's own or, if it has none, the model's.
  /// `model`, `scorers` and `log` must outlive this object, and the log must not change.
  ScoreSlopes(const TrainableModel& model, std::vector<const FeatureScorer*> scorers,
              const SessionLog& log, const StepSettings& settings);

  /// Computes the derivatives with the present scores. `round`: of which the noise of training is.
  /// Calls `progress` with the number of sessions done, on the calling thread. Throws Diverged if
  /// the loss is not finite.
  BatchLoss operator()(std::uint32_t round, const std::function<void(std::size_t)>& progress);

  /// The derivatives in the scores of a scorer, one per row.
  std::span<const double> slopes(std::size_t scorer) const { return sums_[scorer].slopes; }
  /// The bounds on second derivatives (ClickModel::curvature), one per row.
  std::span<const double> curvatures(std::size_t scorer) const { return sums_[scorer].curvatures; }

 private:
  struct Sums {
    std::vector<double> slopes, curvatures;
  };
  /// The results of one shard. The numbers of scorer s belong to its documents, in order.
  struct ShardSlopes {
    double loss = 0, units = 0;
    std::vector<std::uint32_t> rows{};
    std::vector<std::vector<float>> slopes{}, curvatures{};
  };

  void run_shard(std::size_t worker, std::size_t number, std::uint32_t round, ShardSlopes& result);
  /// Reads the gradients of the scores from a program that has run backward.
  void take(const ClickProgram& program, std::size_t documents,
            std::vector<std::vector<float>>& to) const;

  const SessionLog& log_;
  std::vector<const FeatureScorer*> scorers_;
  StepSettings settings_;
  WorkerTeam workers_;
  std::vector<ClickPrograms> losses_, curvatures_;  // one per worker
  PackedShards shards_;
  std::vector<ShardSlopes> wave_;  // one per shard of a group that runs together
  std::vector<Sums> sums_;         // one per scorer
};

}  // namespace ultr
