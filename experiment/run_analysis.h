#pragma once

#include "experiment/experiment_options.h"
#include "experiment/run_directory.h"

namespace ultr {

/// Runs the analysis of a configuration that has one and fills the run's folder: config.yaml,
/// results.json and, unless that is switched off, report.html. Nothing is created before the
/// analysis is done. Throws what Analysis::results throws.
void run_analysis(ExperimentOptions& options, RunDirectory& folder);

}  // namespace ultr
