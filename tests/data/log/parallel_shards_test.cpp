#include "data/log/parallel_shards.h"

#include <map>
#include <mutex>
#include <set>

#include <gtest/gtest.h>

namespace ultr::parallel_shards_test {
namespace {

/// Returns sessions of one document each, whose row is the number of the session.
SessionLog numbered_sessions(std::uint32_t count) {
  SessionLog log;
  for (std::uint32_t i = 0; i < count; ++i)
    log.add({std::array{i}, std::array<std::uint16_t, 1>{0}, std::array<std::uint8_t, 1>{0}});
  return log;
}

TEST(ParallelShardsTest, CountsShards) {
  EXPECT_EQ(count_shards(numbered_sessions(0)), 0u);
  EXPECT_EQ(count_shards(numbered_sessions(1)), 1u);
  EXPECT_EQ(count_shards(numbered_sessions(shard_sessions)), 1u);
  EXPECT_EQ(count_shards(numbered_sessions(shard_sessions + 1)), 2u);
}

TEST(ParallelShardsTest, PacksEachShardOnceForAnyNumberOfThreads) {
  const std::uint32_t sessions = 5 * shard_sessions + 3;
  const SessionLog log = numbered_sessions(sessions);
  for (const int threads : {1, 2, 3, 9}) {
    std::mutex mutex;
    std::set<std::size_t> numbers;
    std::map<std::size_t, std::size_t> following;  // by worker
    for_each_shard(
        log, threads,
        [&](std::size_t worker, std::size_t number, const Shard& shard, const Shard* next) {
          const std::lock_guard lock(mutex);
          EXPECT_LT(worker, static_cast<std::size_t>(threads));
          const auto expected = following.try_emplace(worker, number).first;
          EXPECT_EQ(number, expected->second);
          expected->second = next == nullptr ? 6 : next->rows()[0] / shard_sessions;
          EXPECT_TRUE(numbers.insert(number).second);
          ASSERT_EQ(shard.sessions(), number < 5 ? shard_sessions : 3);
          for (std::size_t j = 0; j < shard.sessions(); ++j)
            EXPECT_EQ(shard.rows()[j], number * shard_sessions + j);
        });
    EXPECT_EQ(numbers.size(), 6u) << threads << " threads";
    for (const auto& [worker, number] : following) EXPECT_EQ(number, 6u) << "of " << worker;
  }
}

}  // namespace
}  // namespace ultr::parallel_shards_test
