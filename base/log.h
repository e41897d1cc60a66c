#pragma once

#include <spdlog/logger.h>

namespace ultr {

/// Returns the logger for messages to the user, one per line on standard error.
spdlog::logger& log();

}  // namespace ultr
