#pragma once

#include "data/log/session_log.h"
#include "models/model_options.h"

namespace ultr {

/// Shifts the starting values that the configuration leaves open so that the untrained model
/// predicts the click rate of a training log: logits that raise it by one amount, those that lower
/// it by the opposite (found by bisection on up to shard_sessions lists). Rare documents stay near
/// the baseline for long, so where it starts matters (thesis section 5.6.2). Does nothing if all
/// starts are given; comes as near as it can if the given ones forbid the rate. Returns the click
/// rate that the model then predicts. Throws Error if it predicts none (see predicts_clicks).
double start_at_click_rate(const TrainableModel& model, const SessionLog& train);

}  // namespace ultr
