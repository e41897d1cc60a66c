#include "base/worker_team.h"

#include <numeric>
#include <stdexcept>

#include <gtest/gtest.h>

namespace ultr::worker_team_test {
namespace {

TEST(WorkerTeamTest, EveryWorkerWorksOncePerRound) {
  for (const int threads : {1, 2, 5}) {
    WorkerTeam team(threads);
    std::vector<int> rounds(static_cast<std::size_t>(threads));
    for (int round = 1; round <= 1000; ++round) {
      team([&](std::size_t worker) { ++rounds[worker]; });
      // All workers are done, so their writes are visible here.
      EXPECT_EQ(std::accumulate(rounds.begin(), rounds.end(), 0), round * threads);
    }
    for (const int of_worker : rounds) EXPECT_EQ(of_worker, 1000);
  }
}

TEST(WorkerTeamTest, RethrowsAWorkersExceptionAndStaysUsable) {
  WorkerTeam team(3);
  for (const std::size_t failing : {0u, 2u})
    EXPECT_THROW(team([&](std::size_t worker) {
                   if (worker == failing) throw std::runtime_error("no");
                 }),
                 std::runtime_error);
  std::atomic<int> done = 0;
  team([&](std::size_t) { ++done; });
  EXPECT_EQ(done, 3);
}

}  // namespace
}  // namespace ultr::worker_team_test
