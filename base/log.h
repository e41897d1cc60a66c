#pragma once

#include <spdlog/logger.h>

namespace ultr {

/// Messages about what happens, one a line on standard error.
spdlog::logger& log();

}  // namespace ultr
