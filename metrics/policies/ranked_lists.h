#pragma once

#include <span>

#include "data/log/session_log.h"

namespace ultr {

/// Returns lists as a ranker would show them, without clicks. It ranks, for each query, all
/// documents that a log shows for it by their scores, and equal ones by their rows. The documents
/// with the highest, second highest, ... score get the first, second, ... of the positions at which
/// the log shows documents of the query. A position for which no document is left, or at which the
/// log shows none of the query, stays as it is. `scores`: one per row of the dictionary.
SessionLog ranked_lists(const SessionLog& log, const SessionLog& lists,
                        std::span<const double> scores);

}  // namespace ultr
