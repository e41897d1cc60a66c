#pragma once

#include "measurements/measurement.h"

namespace ultr::bench {

/// Measures training steps of pbm, ubm and dbn beside 0, 1, 2 and 4 processes that keep a core busy
/// each, and the speed with several threads over that with one.
void measure_contention(const MeasurementPlan& plan, const TakeMeasurement& take);

}  // namespace ultr::bench
