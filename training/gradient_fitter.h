#pragma once

#include "training/fitter.h"
#include "training/partitions.h"
#include "training/training_step.h"

namespace ultr {

/// A fitter that runs optimizer steps over batches of shuffled sessions.
class GradientFitter final : public Fitter {
 public:
  /// `options` must outlive the fitter. Throws ConfigError if train.partitions is below the number
  /// of processes or above train.batch_size.
  GradientFitter(const OptimizerOptions& options, const FitSetting& setting);

  /// Throws Diverged if the loss is not finite.
  PassResult pass(std::int64_t epoch, const std::function<void(std::size_t)>& progress) override;
  FitProgress progress() const override { return progress_; }
  void resume(const FitProgress& progress) override;

 private:
  const OptimizerOptions& options_;
  FitSetting setting_;
  std::unique_ptr<Optimizer> optimizer_;
  TrainingStep step_;
  Partitions partitions_;
  std::vector<Shard> batch_, next_batch_;
  FitProgress progress_;
};

}  // namespace ultr
