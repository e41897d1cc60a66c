#pragma once

#include "measurements/measurement.h"

namespace ultr::bench {

/// Measures boosting rounds on 10^5 and 10^6 documents with 136 features beside XGBoost's own:
/// seconds per round and peak memory, each in processes that take turns, and both over XGBoost's.
/// Throws Error if a process fails.
void measure_trees(const MeasurementPlan& plan, const TakeMeasurement& take);

}  // namespace ultr::bench
