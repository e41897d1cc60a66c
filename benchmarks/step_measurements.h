#pragma once

#include "measurement.h"

namespace ultr::bench {

/// The bare step (bare_step.h) of each model at each number of rows, of sessions a batch and of
/// threads, beside the limit's; how it scales with threads; the memory that a pair takes in the
/// model's tables, optimizer states included. Without values where memory does not suffice.
void measure_steps(const MeasurementPlan& plan, const TakeMeasurement& take);

}  // namespace ultr::bench
