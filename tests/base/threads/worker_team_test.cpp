#include "base/threads/worker_team.h"

#include <latch>
#include <numeric>
#include <stdexcept>

#include <gtest/gtest.h>

namespace ultr::worker_team_test {
namespace {

TEST(WorkerTeamTest, DoesEachItemOnce) {
  for (const int threads : {1, 2, 5}) {
    WorkerTeam team(threads);
    for (std::size_t workers = 1; workers <= static_cast<std::size_t>(threads); ++workers)
      for (const std::size_t items : {0u, 1u, 2u, 7u, 64u}) {
        std::vector<int> done(items);
        for (int round = 1; round <= 300; ++round) {
          team(workers, items, [&](std::size_t worker, std::size_t item) {
            EXPECT_LT(worker, workers);
            ++done[item];
          });
          // The round is over, so all writes are visible here.
          EXPECT_EQ(std::accumulate(done.begin(), done.end(), 0), round * static_cast<int>(items));
        }
        for (const int times : done) EXPECT_EQ(times, 300);
      }
  }
}

TEST(WorkerTeamTest, CallsOfOneWorkerDoNotOverlap) {
  WorkerTeam team(4);
  std::vector<std::size_t> running(4), calls(4);  // not atomic: one worker's calls are in sequence
  for (int round = 0; round < 300; ++round)
    team(4, 16, [&](std::size_t worker, std::size_t) {
      EXPECT_EQ(running[worker]++, 0u);
      ++calls[worker];
      --running[worker];
    });
  EXPECT_EQ(std::accumulate(calls.begin(), calls.end(), std::size_t{0}), 300u * 16);
}

TEST(WorkerTeamTest, ThrowsWhatACallThrewAndGoesOn) {
  WorkerTeam team(3);
  for (const std::size_t workers : {1u, 3u})
    for (const std::size_t failing : {0u, 2u})
      EXPECT_THROW(team(workers, 3,
                        [&](std::size_t, std::size_t item) {
                          if (item == failing) throw std::runtime_error("no");
                        }),
                   std::runtime_error);
  std::atomic<int> done = 0;
  team(3, 3, [&](std::size_t, std::size_t) { ++done; });
  EXPECT_EQ(done, 3);
}

TEST(WorkerTeamTest, WaitsForNoThreadThatHasNotBegun) {
  std::latch over(1);
  WorkerTeam team(3);
  team.on_arrival([&](std::size_t) { over.wait(); });
  std::vector<int> done(10);
  for (int round = 0; round < 100; ++round)
    team(3, done.size(), [&](std::size_t worker, std::size_t item) {
      EXPECT_EQ(worker, 0u);
      ++done[item];
    });
  for (const int times : done) EXPECT_EQ(times, 100);
  over.count_down();  // the threads arrive at a round that is long over
  std::atomic<int> more = 0;
  team(3, 10, [&](std::size_t, std::size_t) { ++more; });
  EXPECT_EQ(more, 10);
}

TEST(WorkerTeamTest, DoesTheItemsOfAThreadThatIsHeldUpInOne) {
  // Worker 1 begins an item and is held up in it until all others are done.
  WorkerTeam team(2);
  constexpr std::size_t items = 8;
  std::latch others(items - 1), begun(1);
  std::vector<std::size_t> worker_of(items);
  std::atomic<bool> is_held = false;
  team(2, items, [&](std::size_t worker, std::size_t item) {
    worker_of[item] = worker;
    if (worker == 0) begun.wait();
    if (worker == 1 && !is_held.exchange(true)) {
      begun.count_down();
      others.wait();
    } else {
      others.count_down();
    }
  });
  EXPECT_EQ(std::accumulate(worker_of.begin(), worker_of.end(), std::size_t{0}), 1u);
}

TEST(WorkerTeamTest, CountsWorkersUpToTheNumberOfThreads) {
  EXPECT_EQ(WorkerTeam(1).count(), 1u);
  WorkerTeam team(3);
  EXPECT_EQ(team.count(), 3u);  // until it is measured
  team.fix_count(2);
  EXPECT_EQ(team.count(), 2u);
}

}  // namespace
}  // namespace ultr::worker_team_test
