#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "data/session_log.h"
#include "experiment/experiment_options.h"
#include "models/model_options.h"
#include "optim/optimizer.h"

namespace ultr {

/// What one pass over the training sessions came to.
struct FitPass {
  double loss = 0;           // mean while the parameters changed, or before they did
  double learning_rate = 0;  // of its last step; 0 if there is none
};

/// Fits the parameters of a model by passes over its training sessions. Parameters and results do
/// not depend on the number of threads, to the bit.
class Fitter {
 public:
  virtual ~Fitter() = default;
  /// One pass; epochs count from 1. `progress` is called with the number of sessions done.
  virtual FitPass pass(std::int64_t epoch, const std::function<void(std::size_t)>& progress) = 0;
  /// Whether a further pass would change nothing.
  virtual bool finished() const { return false; }
};

/// What fitting needs beside the options of how; all of it must outlive the fitter.
struct FitSetting {
  const TrainableModel& model;
  const SessionLog& train;
  const TrainOptions& options;
  std::uint64_t seed = 1;
  int threads = 1;
};

/// The fitter that the options ask for. Throws ConfigError, saying why, if it cannot fit the model
/// on these sessions; nothing has changed then.
std::unique_ptr<Fitter> make_fitter(const FitOptions& options, const FitSetting& setting);

}  // namespace ultr
