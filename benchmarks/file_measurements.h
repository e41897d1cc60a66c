#pragma once

#include "measurement.h"

namespace ultr::bench {

/// `ultr-run convert` of a file of two million sessions in Yandex's format, start to end, on one
/// core: megabytes (10^6) of text a second. Throws Error if it fails.
void measure_conversion(const MeasurementPlan& plan, const TakeMeasurement& take);
/// `ultr-run simulate` of two million sessions of a pbm, start to end, files included. Throws Error
/// if it fails.
void measure_simulation(const MeasurementPlan& plan, const TakeMeasurement& take);

}  // namespace ultr::bench
