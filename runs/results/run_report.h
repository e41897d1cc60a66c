#pragma once

#include "report/html.h"
#include "runs/results/results_json.h"

namespace ultr {

/// Returns report.html: the learning curve, examination beside the click rate by rank (and the true
/// examination of simulated sessions), position bias, calibration, and tables of the results.
Report run_report(const RunResult& result);

}  // namespace ultr
