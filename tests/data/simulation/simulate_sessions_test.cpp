#include "data/simulation/simulate_sessions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace ultr::simulate_sessions_test {
namespace {

using ::testing::ElementsAre;

constexpr std::uint64_t first_session = 1000;

/// Session n shows the documents n and n + 1 of query n, or n alone if n is odd. Users click the
/// last document, which has a number only if the block that it is in has the right one.
SessionSimulation simulation(std::uint64_t sessions, int threads) {
  return {.first = first_session,
          .sessions = sessions,
          .threads = threads,
          .draw = one_by_one([](std::uint64_t session, std::vector<std::uint32_t>& rows) {
            const auto row = static_cast<std::uint32_t>(session);
            rows.assign({row, row + 1});
            rows.resize(2 - session % 2);
            return session;
          }),
          .users = [] {
            return [](SessionLog& log, std::uint64_t first) {
              for (std::size_t i = 0; i < log.sessions(); ++i)
                if (log[i].query == first + i) log.clicks(i).back() = 1;
            };
          }};
}

TEST(SimulateSessionsTest, BlocksComeInOrderForAnyNumberOfThreads) {
  constexpr std::uint64_t sessions = 40'000;  // more than are made at once, and no whole blocks
  for (const int threads : {1, 4}) {
    std::uint64_t next = first_session;
    simulate_sessions(simulation(sessions, threads), [&](const SessionLog& block) {
      for (std::size_t i = 0; i < block.sessions(); ++i, ++next) {
        ASSERT_EQ(block[i].query, next);
        ASSERT_EQ(block[i].rows.size(), 2 - next % 2);
        ASSERT_EQ(block[i].rows.back(), next + 1 - next % 2);
        ASSERT_EQ(block[i].positions.back(), 1 - next % 2);
        ASSERT_EQ(block[i].clicks.front(), next % 2);
        ASSERT_EQ(block[i].clicks.back(), 1);
      }
    });
    EXPECT_EQ(next, first_session + sessions);
  }
}

TEST(SimulateSessionsTest, FinishesBlocksAfterTheirClicks) {
  SessionSimulation three = simulation(3, 1);
  three.finish = [](std::size_t worker, std::uint64_t first, SessionLog& block) {
    EXPECT_EQ(worker, 0u);
    EXPECT_EQ(first, first_session);
    EXPECT_EQ(block.clicked(), 3u);
    block.clicks(1)[0] = 0;
  };
  simulate_sessions(three, [](const SessionLog& block) {
    EXPECT_THAT(block.clicks(), ElementsAre(0, 1, 0, 0, 1));
  });
}

TEST(SimulateSessionsTest, PassesOnExceptions) {
  for (const int threads : {1, 4}) {
    SessionSimulation failing = simulation(10'000, threads);
    failing.draw = [](std::uint64_t, std::size_t, SessionLog&) { throw Error("no list"); };
    EXPECT_THROW(simulate_sessions(failing, [](const SessionLog&) { FAIL(); }), Error);
  }
}

}  // namespace
}  // namespace ultr::simulate_sessions_test
