#include "data/log/session_sample.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ultr::session_sample_test {
namespace {

using ::testing::ElementsAre;

/// Returns a log whose session i shows row i.
SessionLog log_of(std::uint32_t sessions) {
  constexpr std::uint16_t top = 0;
  constexpr std::uint8_t click = 1;
  SessionLog log;
  for (std::uint32_t row = 0; row < sessions; ++row)
    log.add({.rows = {&row, 1}, .positions = {&top, 1}, .clicks = {&click, 1}, .query = row});
  return log;
}

TEST(SessionSampleTest, SessionsAreAtEvenDistances) {
  EXPECT_THAT(even_sessions(log_of(10), 4), ElementsAre(0, 2, 5, 7));
  EXPECT_THAT(even_sessions(log_of(3), 3), ElementsAre(0, 1, 2));
  EXPECT_THAT(even_sessions(log_of(2), 5), ElementsAre(0, 1));
  EXPECT_THAT(even_sessions(log_of(0), 5), ElementsAre());
}

TEST(SessionSampleTest, CopiesSessions) {
  const SessionLog sample = sample_sessions(log_of(9), 3);
  EXPECT_THAT(sample.rows(), ElementsAre(0, 3, 6));
  EXPECT_EQ(sample[2].query, 6u);
  EXPECT_EQ(sample.clicked(), 3u);
}

}  // namespace
}  // namespace ultr::session_sample_test
