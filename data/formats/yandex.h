#pragma once

#include "data/formats/raw_log.h"

namespace ultr {

/// Queries of a Yandex log whose clicks are waited for: read_yandex.
inline constexpr std::size_t yandex_open_queries = std::size_t{1} << 16;

/// Reads the log of Yandex's relevance prediction challenge (WSCD 2012), queries and clicks line by
/// line:
///
///     session ⇥ time ⇥ Q ⇥ query ⇥ region ⇥ url ⇥ ... ⇥ url
///     session ⇥ time ⇥ C ⇥ url
///
/// A click belongs to the latest query of its session; a click on a url that was not listed is
/// ignored; a url that is listed twice takes the click at its first rank. If a query line is
/// malformed and left out, so are the clicks on it.
///
/// The sessions of the challenge stand one after the other. Others may be mixed, as in a log by
/// time: a click is read if fewer than `yandex_open_queries` queries, of any session, stand between
/// its query and itself, else it is malformed. So many lists are kept in memory at most, about 200
/// bytes each with ten urls; lists are handed over in the order of their query lines.
ReadReport read_yandex(const std::filesystem::path& file, const ReadRules& rules,
                       const std::function<void(const RawList&)>& take);

}  // namespace ultr
