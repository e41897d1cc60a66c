#pragma once

#include "measurements/measurement.h"

namespace ultr::bench {

/// Measures training by two processes, threads of this one, over made-up networks, whose messages
/// arrive no sooner than on real ones: with messages that travel while processes compute, as they
/// do, and with processes that wait for every message as soon as it is sent.
void measure_network(const MeasurementPlan& plan, const TakeMeasurement& take);

}  // namespace ultr::bench
