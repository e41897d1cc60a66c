#pragma once

#include "data/log/session_log.h"

namespace ultr {

/// Throws ConfigError if the sessions have targets, such as click rates, for an analysis that needs
/// single clicks.
void refuse_click_rates(const SessionLog& log);

}  // namespace ultr
