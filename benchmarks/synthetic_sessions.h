#pragma once

#include <vector>

#include "data/log/shard.h"

namespace ultr::bench {

/// Documents a query and documents a session.
inline constexpr std::int64_t candidates = 20;
inline constexpr std::size_t list_length = 10;

/// Sessions of a log over `rows` query-document pairs: two million, or a fifth of the pairs if that
/// is more, so that a step that goes through them walks a large table too.
std::size_t synthetic_sessions(std::int64_t rows);

/// That many sessions over `rows` query-document pairs (rows / candidates queries): queries follow
/// Zipf's law, a query's documents are neighbouring rows, a session shows the ten best by a noisy
/// score, and the user is a dynamic Bayesian network that goes on with probability 0.9. The same
/// log is handed out to every benchmark that asks for the same number of rows, until one asks for
/// another.
const SessionLog& synthetic_log(std::int64_t rows);
/// The same sessions, packed in the order of the log, which need not be there.
const std::vector<Shard>& synthetic_shards(std::int64_t rows);

}  // namespace ultr::bench
