#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "data/log/session_log.h"
#include "metrics/significance.h"
#include "runs/saved_model.h"

namespace ultr {

/// Options of bootstrap_relevance.
struct RelevanceBootstrap {
  std::size_t resamples = 200;
  std::uint64_t seed = 1;
  int threads = 1;
};

/// Draws resamples of the training sessions with replacement, trains the model on each with the
/// options of its run, starting from its parameters, and returns the 95% percentile interval of the
/// relevance of each row of the dictionary. Resamples that do not show a row leave it out. Calls
/// `progress` with the number of resamples done. Throws ConfigError if the model is trained in
/// stages or reads features.
std::vector<ConfidenceInterval> bootstrap_relevance(
    const SavedModel& saved, const SessionLog& train, const RelevanceBootstrap& options,
    const std::function<void(std::size_t)>& progress = {});

}  // namespace ultr
