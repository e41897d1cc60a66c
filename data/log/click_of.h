#pragma once

#include <cstddef>

#include "data/log/session_log.h"

namespace ultr {

/// Returns 1 or 0 for a clicked or skipped document of a session, or its click rate, if the session
/// has targets.
inline float click_of(const SessionView& session, std::size_t document) {
  return session.targets.empty() ? static_cast<float>(session.clicks[document])
                                 : session.targets[document];
}

}  // namespace ultr
