#pragma once

#include "measurements/measurement.h"

namespace ultr::bench {

/// Measures evaluate_clicks: conditional and unconditional predictions with all their metrics.
void measure_evaluation(const MeasurementPlan& plan, const TakeMeasurement& take);
/// Measures ClickSampler: clicks and latent variables of sessions whose lists are given.
void measure_sampling(const MeasurementPlan& plan, const TakeMeasurement& take);
/// Measures a pass of expectation maximisation over packed sessions, for those of pbm, ubm, dbn and
/// ccm that the plan contains: in sessions per second, and in seconds over all sessions.
void measure_em(const MeasurementPlan& plan, const TakeMeasurement& take);

}  // namespace ultr::bench
