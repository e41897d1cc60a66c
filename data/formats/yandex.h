#pragma once

#include "data/text/raw_log.h"

namespace ultr {

/// Number of queries that read_yandex keeps open for clicks.
inline constexpr std::size_t yandex_open_queries = std::size_t{1} << 16;

/// Reads the log of Yandex's relevance prediction challenge (WSCD 2012), one query or click per
/// line:
///
///     session ⇥ time ⇥ Q ⇥ query ⇥ region ⇥ url ⇥ ... ⇥ url
///     session ⇥ time ⇥ C ⇥ url
///
/// A click belongs to the latest query of its session. A click on a url that was not listed is
/// ignored. A url that is listed twice takes the click at its first rank. Clicks on a query whose
/// line is malformed and skipped are skipped too.
///
/// In the challenge's log, sessions follow each other. They may also be interleaved, as in a log
/// sorted by time: a click is accepted if fewer than yandex_open_queries queries, of any session,
/// are between its query and itself; else it is malformed. At most so many lists are in memory,
/// about 250 bytes each with ten urls. `take` gets lists in the order of their query lines. Throws
/// DataError as LogReader describes.
ReadReport read_yandex(const std::filesystem::path& file, const ReadRules& rules,
                       const std::function<void(const RawList&)>& take);

}  // namespace ultr
