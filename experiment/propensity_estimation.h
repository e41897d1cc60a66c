#pragma once

#include "data/formats/propensities.h"
#include "data/log/dataset.h"
#include "experiment/experiment_options.h"

namespace ultr {

/// Estimates propensities from the training sessions with the estimator that the options of the
/// loss choose. Returns nothing if they choose none. Warns of ranks without an estimate. Throws
/// ConfigError if the estimator cannot learn from the targets that the sessions have in place of
/// clicks, DataError if it has no estimate at all.
Propensities estimate_propensities(const ExperimentOptions& options, const Dataset& dataset);

}  // namespace ultr
