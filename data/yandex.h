#pragma once

#include "data/raw_log.h"

namespace ultr {

/// Reads the log of Yandex's relevance prediction challenge (WSCD 2012), queries and clicks line by
/// line:
///
///     session ⇥ time ⇥ Q ⇥ query ⇥ region ⇥ url ⇥ ... ⇥ url
///     session ⇥ time ⇥ C ⇥ url
///
/// A click belongs to the latest query of its session, wherever its line stands; a click on a url
/// that was not listed is ignored; a url that is listed twice takes the click at its first rank.
/// If a query line is malformed and left out, so are the clicks on it. Lists are handed over at the
/// end of the file, in the order of their query lines: until then they are kept in memory, 9 bytes
/// a document, 25 a list and an entry of a hash table for each session.
ReadReport read_yandex(const std::filesystem::path& file, const ReadRules& rules,
                       const std::function<void(const RawList&)>& take);

}  // namespace ultr
