#pragma once

#include <vector>

#include "data/log/shard.h"

namespace ultr::bench {

/// The numbers of documents per query and of documents per session.
inline constexpr std::int64_t candidates = 20;
inline constexpr std::size_t list_length = 10;

/// Returns the number of sessions of a log over `rows` query-document pairs: two million, or a
/// fifth of the pairs if that is more, so that the steps of a round also touch most of a large
/// table.
std::size_t synthetic_sessions(std::int64_t rows);

/// Returns a log of that many sessions over `rows` query-document pairs (rows / candidates
/// queries). Queries follow Zipf's law, and a query's documents are neighbouring rows. A session
/// shows the ten best by a noisy score. Its user is a dynamic Bayesian network that goes on with
/// probability 0.9. The log is kept until a benchmark asks for another number of rows.
const SessionLog& synthetic_log(std::int64_t rows);
/// Returns the same sessions, packed in the order of the log, without building the log.
const std::vector<Shard>& synthetic_shards(std::int64_t rows);

}  // namespace ultr::bench
