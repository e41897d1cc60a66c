#pragma once

#include "measurement.h"

namespace ultr::bench {

/// evaluate_clicks: conditional and unconditional predictions with all their metrics.
void measure_evaluation(const MeasurementPlan& plan, const TakeMeasurement& take);
/// ClickSampler: clicks and latent variables of sessions whose lists are given.
void measure_sampling(const MeasurementPlan& plan, const TakeMeasurement& take);
/// A pass of expectation maximisation over sessions that are packed already, of pbm, ubm, dbn and
/// ccm as far as the plan has them: in sessions a second, and in seconds over all of them.
void measure_em(const MeasurementPlan& plan, const TakeMeasurement& take);

}  // namespace ultr::bench
