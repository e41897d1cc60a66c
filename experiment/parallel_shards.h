#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include <tbb/parallel_for.h>

#include "data/shard.h"

namespace ultr {

/// Number of shards that for_each_shard makes of a log.
inline std::size_t count_shards(const SessionLog& log) {
  return (log.sessions() + shard_sessions - 1) / shard_sessions;
}

/// Packs a log shard by shard, in its order, and calls `work(worker, number, shard)` on each from
/// `threads` workers. A worker's calls do not overlap. Results that are kept by number and merged
/// in that order do not depend on the number of threads.
template <class Work>
void for_each_shard(const SessionLog& log, int threads, Work work) {
  const std::size_t shards = count_shards(log);
  const auto workers = static_cast<std::size_t>(threads);
  const auto run = [&](std::size_t worker) {
    Shard shard;
    std::vector<std::uint32_t> sessions;
    for (std::size_t number = worker; number < shards; number += workers) {
      const std::size_t begin = number * shard_sessions;
      sessions.resize(std::min(shard_sessions, log.sessions() - begin));
      std::iota(sessions.begin(), sessions.end(), static_cast<std::uint32_t>(begin));
      shard.pack(log, sessions);
      work(worker, number, shard);
    }
  };
  if (workers == 1)
    run(0);
  else
    tbb::parallel_for(std::size_t{0}, workers, run, tbb::static_partitioner());
}

}  // namespace ultr
