#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "data/log/dataset.h"
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
/// options of its run, and returns the 95% percentile interval of the relevance of each row of the
/// data's dictionary, which that of the run begins with.
///
/// Without features, training starts from the model's parameters, and resamples that do not show a
/// row leave it out. With features, it starts anew, since trees only grow and towers forget slowly,
/// and takes the epochs whose parameters the run has kept. Propensities that the run estimated are
/// not estimated again.
///
/// Training that goes on changes a model that had not come to its end, and models such as `pbm`,
/// whose clicks determine relevance and examination only up to a common factor, move along it. So
/// all sessions are trained on in the same way, too. Intervals are those of the differences to that
/// training, in logits, about the run's estimates. Calls `progress` with the number of resamples
/// done.
std::vector<ConfidenceInterval> bootstrap_relevance(
    const SavedModel& saved, const Dataset& data, const RelevanceBootstrap& options,
    const std::function<void(std::size_t)>& progress = {});

}  // namespace ultr
