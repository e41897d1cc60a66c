#pragma once

#include "experiment/experiment_options.h"
#include "experiment/run_directory.h"

namespace ultr {

/// Runs the analysis of a resolved configuration and fills the run's folder: config.yaml,
/// results.json, the analysis' own files and, unless `report.enabled` is false, report.html.
/// Nothing is created before the analysis is done. Throws what Task::run throws.
void run_analysis(ExperimentOptions& options, RunDirectory& folder);

}  // namespace ultr
