#pragma once

#include "data/formats/propensities.h"
#include "data/log/dataset.h"
#include "experiment/experiment_options.h"

namespace ultr {

/// What the estimator that the options of a loss choose says of the training sessions; nothing if
/// they choose none. Warns of what it does not know. Throws ConfigError if it cannot learn from
/// what the sessions have in place of clicks, DataError if it learns nothing.
Propensities estimate_propensities(const ExperimentOptions& options, const Dataset& dataset);

}  // namespace ultr
