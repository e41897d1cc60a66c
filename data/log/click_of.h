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

/// Returns the same for a document of a log, by its number among all documents.
inline float click_of(const SessionLog& log, std::size_t document) {
  return log.has_targets() ? log.targets()[document] : static_cast<float>(log.clicks()[document]);
}

}  // namespace ultr
