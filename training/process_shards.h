#pragma once

#include <algorithm>

#include "base/threads/number_range.h"
#include "data/log/parallel_shards.h"
#include "dsl/divided_model.h"

namespace ultr {

/// A shard of a log that this process evaluates.
struct ProcessShard {
  std::size_t number;  // of the shard in the log
  const Shard& shard;
  std::span<const std::uint32_t> table_rows;  // for ShardInputs::bind
  const Shard* next;                          // for ClickPrograms::run, or null
};

/// Returns the part of `count` items, divided over the processes, that belongs to this one: all if
/// `processes` is null.
inline NumberRange part_of_process(const Communicator* processes, std::size_t count) {
  if (processes == nullptr) return {0, count};
  return part_of(count, static_cast<std::size_t>(processes->process()),
                 static_cast<std::size_t>(processes->size()));
}

/// Returns the numbers of the shards of a log that this process evaluates.
inline NumberRange shards_of_process(const Communicator* processes, const SessionLog& log) {
  return part_of_process(processes, count_shards(log));
}

/// Returns the numbers of the sessions of these shards.
inline NumberRange sessions_of_process(const Communicator* processes, const SessionLog& log) {
  const NumberRange shards = shards_of_process(processes, log);
  return {std::min(shards.first * shard_sessions, log.sessions()),
          std::min(shards.last * shard_sessions, log.sessions())};
}

/// Packs the shards that this process evaluates, in order, and calls `work(worker, shard)` on each
/// from `threads` workers. Calls of one worker do not overlap. If several processes train the
/// model, all must call this together: each takes a few shards at a time, and they lend each other
/// the table rows that these read.
template <class Work>
void for_each_process_shard(const TrainableModel& model, const SessionLog& log, int threads,
                            Work work) {
  const auto divided = divide_tables(model);
  if (!divided) {
    for_each_shard(
        log, threads,
        [&](std::size_t worker, std::size_t number, const Shard& shard, const Shard* next) {
          work(worker, ProcessShard{number, shard, {}, next});
        });
    return;
  }
  std::vector<Shard> shards;
  Communicator& processes = divided->processes();
  // All processes take equally many shards at a time, however many threads they have: they meet
  // whenever rows are lent.
  const auto most_threads =
      std::ranges::max(gather_all(processes, std::span<const int>(&threads, 1)));
  const auto shards_at_a_time =
      std::max<std::size_t>(16, 4 * static_cast<std::size_t>(most_threads));
  const NumberRange own = shards_of_process(&processes, log);
  const auto process_count = static_cast<std::size_t>(processes.size());
  const std::size_t most =
      (count_shards(log) + process_count - 1) / process_count;  // of any process
  for (std::size_t done = 0; done < most; done += shards_at_a_time) {
    const std::size_t begin = std::min(own.first + done, own.last);
    shards.resize(std::min(shards_at_a_time, own.last - begin));
    for_each_item(threads, shards.size(), [&](std::size_t, std::size_t s) {
      release_shards_before(log, begin + s);
      pack_shard(log, begin + s, shards[s]);
    });
    divided->fetch(shards);
    for_each_item(threads, shards.size(), [&](std::size_t worker, std::size_t s) {
      work(worker, ProcessShard{begin + s, shards[s], divided->rows(s), nullptr});
    });
  }
  log.release();
}

}  // namespace ultr
