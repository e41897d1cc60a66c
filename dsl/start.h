#pragma once

#include "data/log/session_log.h"
#include "dsl/model_options.h"

namespace ultr {

/// Shifts the starting values that the configuration leaves open so that the untrained model
/// predicts the click rate of a training log. Logits that raise the rate are shifted by one amount,
/// those that lower it by its negative. Bisection finds the amount on up to shard_sessions lists.
/// The starting point matters because rare documents stay near the baseline for long (thesis
/// section 5.6.2).
///
/// Does nothing if all starting values are given, and comes as close as the given ones allow.
/// Returns the click rate that the model then predicts. Throws Error if the model predicts no
/// clicks (see predicts_clicks).
double start_at_click_rate(const TrainableModel& model, const SessionLog& train);

}  // namespace ultr
