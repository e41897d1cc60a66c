#pragma once

#include "data/log/session_log.h"
#include "experiment/data_options.h"

namespace ultr {

/// Throws DataError if the training sessions have relevance labels, for an analysis of clicks.
void refuse_labels(const ExperimentData& data);

/// Throws ConfigError if the sessions have targets, such as click rates, for an analysis that needs
/// single clicks.
void refuse_click_rates(const SessionLog& log);

}  // namespace ultr
