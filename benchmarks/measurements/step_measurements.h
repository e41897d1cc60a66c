#pragma once

#include "measurements/measurement.h"

namespace ultr::bench {

/// Measures the bare step (bare_step.h) of each model at each number of rows, of sessions per batch
/// and of threads, next to the limit's; its scaling with threads; and the memory per pair of the
/// model's tables, optimizer states included. Measurements without enough memory have no value.
void measure_steps(const MeasurementPlan& plan, const TakeMeasurement& take);

}  // namespace ultr::bench
