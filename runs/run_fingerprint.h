#pragma once

#include "data/log/dataset.h"
#include "experiment/experiment_options.h"
#include "training/checkpoint.h"

namespace ultr {

/// Returns the options and data that the checkpoints of a run depend on.
RunFingerprint run_fingerprint(ExperimentOptions& options, const Dataset& dataset);

/// Throws DataError, in all processes, if they did not read the same configuration and data: query-
/// document pairs would then have other rows in each of them.
void expect_same_data(Communicator& processes, const RunFingerprint& fingerprint,
                      const Dataset& dataset);

}  // namespace ultr
