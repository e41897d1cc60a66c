#include "training/shards/partitions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/log/shard.h"
#include "testing/errors.h"

namespace ultr::partitions_test {
namespace {

TEST(PartitionsTest, OnePartIsBatchAfterBatch) {
  const Partitions one(1000, 300, 1);
  EXPECT_EQ(one.steps(), 4u);
  for (std::size_t step = 0; step < 4; ++step) {
    EXPECT_EQ(one.places(0, step).first, 300 * step);
    EXPECT_EQ(one.places(0, step).last, std::min<std::size_t>(300 * (step + 1), 1000));
  }
}

TEST(PartitionsTest, EverySessionIsTakenOnce) {
  for (const std::size_t sessions : {1u, 255u, 256u, 257u, 1000u, 5000u})
    for (const std::size_t count : {1u, 2u, 3u, 7u, 30u}) {
      const Partitions parts(sessions, 100, count);
      std::size_t next_session = 0, done = 0;
      for (std::size_t part = 0; part < count; ++part) {
        const NumberRange range = parts.sessions(part);
        EXPECT_EQ(range.first, next_session);
        EXPECT_TRUE(range.first % shard_sessions == 0 || range.first == sessions);
        next_session = range.last;
        std::size_t next_place = 0;
        for (std::size_t step = 0; step < parts.steps(); ++step) {
          EXPECT_EQ(parts.places(part, step).first, next_place);
          next_place = parts.places(part, step).last;
        }
        EXPECT_EQ(next_place, range.size());
      }
      EXPECT_EQ(next_session, sessions);
      for (std::size_t step = 0; step < parts.steps(); ++step) {
        EXPECT_EQ(parts.sessions_before(step), done);
        EXPECT_EQ(parts.step_after(done), step);
        std::size_t taken = 0;
        for (std::size_t part = 0; part < count; ++part) taken += parts.places(part, step).size();
        EXPECT_GT(taken, 0u);
        EXPECT_LE(taken, 100u);
        done += taken;
      }
      EXPECT_EQ(done, sessions);
      EXPECT_EQ(parts.step_after(sessions), parts.steps());
    }
}

TEST(PartitionsTest, RefusesMoreThanSessionsAStepAndMomentsWithinOne) {
  EXPECT_THAT(testing::config_message([] { Partitions(1000, 4, 5); }),
              ::testing::HasSubstr("expected at least 5"));
  EXPECT_THROW(Partitions(1000, 300, 1).step_after(301), Error);
}

}  // namespace
}  // namespace ultr::partitions_test
