#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <numeric>
#include <span>
#include <vector>

#include <tbb/parallel_for.h>

#include "base/threads/thread_sanitizer.h"
#include "data/log/shard.h"

namespace ultr {

/// Calls `work(worker)` once for each of `threads` workers, in parallel.
template <class Work>
void for_each_worker(int threads, Work work) {
  if (threads == 1) {
    work(std::size_t{0});
    return;
  }
  char begin = 0, end = 0;
  happens_before(&begin);
  tbb::parallel_for(
      std::size_t{0}, static_cast<std::size_t>(threads),
      [&](std::size_t worker) ULTR_UNSEEN_BY_THREAD_SANITIZER {
        happens_after(&begin);
        work(worker);
        happens_before(&end);
      },
      tbb::static_partitioner());
  happens_after(&end);
}

/// Calls `work(worker, item)` once for each item, 0 to `items` - 1, on `threads` workers. Calls of
/// one worker do not overlap. Each worker takes the next free item, in order, so that none waits
/// for another that the system does not run.
template <class Work>
void for_each_item(int threads, std::size_t items, Work work) {
  std::atomic<std::size_t> next = 0;
  for_each_worker(threads, [&](std::size_t worker) {
    for (std::size_t item = next++; item < items; item = next++) work(worker, item);
  });
}

/// Returns the number of shards of a log.
inline std::size_t count_shards(const SessionLog& log) { return shards_of(log.sessions()); }

/// Packs shard `number` of a log, reusing the memory of what was packed before.
inline void pack_shard(const SessionLog& log, std::size_t number, Shard& shard) {
  const std::size_t begin = number * shard_sessions;
  std::array<std::uint32_t, shard_sessions> sessions;
  const std::size_t count = std::min(shard_sessions, log.sessions() - begin);
  std::iota(sessions.begin(), sessions.begin() + count, static_cast<std::uint32_t>(begin));
  shard.pack(log, std::span(sessions).first(count));
}

/// Releases the memory of a mapped log in front of shard `number`, once per 1024 shards (a quarter
/// of a million sessions).
inline void release_shards_before(const SessionLog& log, std::size_t number) {
  constexpr std::size_t shards_at_a_time = 1024;
  if (number == 0 || number % shards_at_a_time != 0) return;
  const std::size_t begin = (number - shards_at_a_time) * shard_sessions;
  log.release(begin, std::min(shards_at_a_time * shard_sessions, log.sessions() - begin));
}

/// Packs a log shard by shard, in order, and calls `work(worker, number, shard, next)` on each from
/// `threads` workers. Calls of one worker do not overlap; `next` is the shard of its next call, for
/// prefetching, or null. Results that are kept by number and merged in that order do not depend on
/// the number of threads.
template <class Work>
void for_each_shard(const SessionLog& log, int threads, Work work) {
  const std::size_t count = count_shards(log);
  std::atomic<std::size_t> taken = 0;
  for_each_worker(threads, [&](std::size_t worker) {
    const auto take = [&](Shard& shard) {
      const std::size_t number = taken++;
      if (number >= count) return number;
      release_shards_before(log, number);
      pack_shard(log, number, shard);
      return number;
    };
    Shard shard, next;
    for (std::size_t number = take(shard); number < count; std::swap(shard, next)) {
      const std::size_t following = take(next);
      work(worker, number, shard, following < count ? &next : nullptr);
      number = following;
    }
  });
  log.release();
}

}  // namespace ultr
