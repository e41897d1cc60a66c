#pragma once

#include "data/log/session_log.h"

namespace ultr {

/// Returns a log with made-up signals in place of its own: for checks of models that read signals,
/// whatever these are. They depend on each document's row and position alone.
SessionLog with_made_up_signals(const SessionLog& log);

}  // namespace ultr
