#pragma once

#include <cstdint>
#include <vector>

#include "data/log/session_log.h"

namespace ultr {

/// Returns the numbers of `count` sessions of a log at even distances, or of all sessions if there
/// are fewer.
std::vector<std::uint32_t> even_sessions(const SessionLog& log, std::size_t count);

/// Copies these sessions, without features of their own, and releases the memory of mapped columns
/// on the way.
SessionLog sample_sessions(const SessionLog& log, std::size_t count);

}  // namespace ultr
