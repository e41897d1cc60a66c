#pragma once

#include "data/log/session_log.h"
#include "dsl/model_options.h"

namespace ultr {

/// Shifts the starting values that the configuration leaves open so that the untrained model
/// predicts the click rate of a training log, given the clicks above each document. Logits that
/// raise the rate are shifted by one amount, those that lower it by its negative. Bisection finds
/// the amount on up to shard_sessions lists. The starting point matters because rare documents stay
/// near the baseline for long (thesis section 5.6.2).
///
/// Documents that cannot be clicked under the model, as those below a click under the cascade
/// model, are left out: a model that allows one click per list could not reach the click rate of
/// users who click several times. If the log has targets, their mean takes the place of the click
/// rate.
///
/// Does nothing if all starting values are given, and comes as close as the given ones allow.
/// Returns the click rate that the model then predicts for all documents of those lists. Throws
/// Error if the model predicts no clicks (see predicts_clicks).
double start_at_click_rate(const TrainableModel& model, const SessionLog& train);

}  // namespace ultr
