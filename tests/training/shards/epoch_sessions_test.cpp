#include "training/shards/epoch_sessions.h"

#include <algorithm>
#include <array>
#include <numeric>

#include <gtest/gtest.h>

#include "base/files/npy.h"
#include "data/columns/columns.h"
#include "data/log/pair_dictionary.h"
#include "data/log/shard.h"
#include "testing/temporary_folder.h"

namespace ultr::epoch_sessions_test {
namespace {

constexpr std::size_t block = 256, window = EpochOrder::window;

/// Returns sessions whose documents identify them: all of one length, or of 1 to 3 documents with
/// gaps in their positions.
SessionLog numbered(std::size_t sessions, bool equal) {
  SessionLog log;
  for (std::size_t i = 0; i < sessions; ++i) {
    const std::size_t length = equal ? 2 : 1 + i % 3;
    std::vector<std::uint32_t> rows(length, static_cast<std::uint32_t>(i));
    std::vector<std::uint16_t> positions(length);
    std::vector<std::uint8_t> clicks(length);
    for (std::size_t k = 0; k < length; ++k) {
      positions[k] = static_cast<std::uint16_t>(equal ? k : k + i % 2);
      clicks[k] = (i + k) % 5 == 0 ? 1 : 0;
    }
    log.add({.rows = rows, .positions = positions, .clicks = clicks, .query = i});
  }
  return log;
}

/// Returns the session numbers of an epoch in order. Compares each session with that of the log.
std::vector<std::uint32_t> epoch_of(const SessionLog& log, std::size_t batch, std::size_t begin = 0,
                                    bool shuffle = true, int threads = 1) {
  WorkerTeam workers(threads);
  EpochSessions sessions(log, {0, log.sessions()}, 1, 1, shuffle, workers);
  std::vector<std::uint32_t> all;
  Shard shard;
  while (begin < log.sessions()) {
    const std::size_t count = std::min(batch, log.sessions() - begin);
    const SessionSelection part = sessions.at(begin, count);
    EXPECT_EQ(part.places.size(), count);
    for (const std::uint32_t place : part.places) {
      shard.pack(part.sessions, std::array{place});
      const std::uint32_t session = shard.rows()[0];
      const SessionView expected = log[session];
      EXPECT_TRUE(std::equal(shard.rows().begin(), shard.rows().end(), expected.rows.begin(),
                             expected.rows.end()));
      EXPECT_TRUE(std::equal(shard.clicks().begin(), shard.clicks().end(), expected.clicks.begin(),
                             expected.clicks.end()));
      EXPECT_TRUE(std::equal(shard.positions().begin(), shard.positions().end(),
                             expected.positions.begin(), expected.positions.end()));
      all.push_back(session);
    }
    begin += count;
  }
  return all;
}

/// Returns the session numbers of an epoch as EpochOrder defines them.
std::vector<std::uint32_t> expected_epoch(std::size_t sessions) {
  const EpochOrder order(sessions, 1, 1, true);
  std::vector<std::uint32_t> all(sessions), places;
  for (std::size_t w = 0; w < order.windows(); ++w) {
    order.places(w, places);
    auto place = places.begin();
    for (const auto& [first, last] : order.ranges(w))
      for (std::size_t session = first; session < last; ++session)
        all[w * window + *place++] = static_cast<std::uint32_t>(session);
  }
  return all;
}

TEST(EpochSessionsTest, GivesTheSessionsOfTheLogInTheOrderOfTheEpoch) {
  for (const bool equal : {true, false})
    for (const std::size_t sessions : {std::size_t{1000}, window, 2 * window + block + 7})
      EXPECT_EQ(epoch_of(numbered(sessions, equal), 512), expected_epoch(sessions))
          << sessions << (equal ? " of one length" : " of several lengths");
}

TEST(EpochSessionsTest, SizesOfBatchesDoNotMatter) {
  for (const bool equal : {true, false}) {
    const SessionLog log = numbered(2 * window + 5, equal);
    for (const std::size_t batch : {std::size_t{7777}, window, 2 * window + 1})
      EXPECT_EQ(epoch_of(log, batch), expected_epoch(log.sessions()));
  }
}

TEST(EpochSessionsTest, NumbersOfThreadsDoNotMatter) {
  for (const bool equal : {true, false}) {
    const SessionLog log = numbered(2 * window + 5, equal);
    EXPECT_EQ(epoch_of(log, 512, 0, true, 3), expected_epoch(log.sessions()));
  }
}

TEST(EpochSessionsTest, CanStartAnywhere) {
  const SessionLog log = numbered(2 * window + 9, false);
  const std::vector<std::uint32_t> all = expected_epoch(log.sessions());
  const std::size_t begin = window + 1234;
  EXPECT_EQ(
      epoch_of(log, 512, begin),
      std::vector<std::uint32_t>(all.begin() + static_cast<std::ptrdiff_t>(begin), all.end()));
}

TEST(EpochSessionsTest, WithoutShufflingSessionsStayInOrder) {
  std::vector<std::uint32_t> expected(window + 9);
  std::iota(expected.begin(), expected.end(), 0u);
  EXPECT_EQ(epoch_of(numbered(window + 9, true), 500, 0, false), expected);
}

TEST(EpochSessionsTest, DocumentsOfTheirOwnFeaturesStayWhereTheyAre) {
  SessionLog log = numbered(window + 9, true);
  log.set_features({std::vector<float>(log.documents() + 1), 1});
  EXPECT_EQ(epoch_of(log, 512), expected_epoch(log.sessions()));
  WorkerTeam workers(1);
  EpochSessions sessions(log, {0, log.sessions()}, 1, 1, true, workers);
  Shard shard;
  const SessionSelection part = sessions.at(5, 1);
  shard.pack(part.sessions, part.places);
  EXPECT_EQ(shard.feature_rows()[1], 2 * shard.rows()[0] + 2);
}

/// Tests a log in mapped columns, and a part of it, as one of several processes has it.
TEST(EpochSessionsTest, MappedLogsGiveTheSessionsOfTheLogInMemory) {
  for (const bool equal : {true, false}) {
    const SessionLog log = numbered(2 * window + 77, equal);
    const testing::TemporaryFolder folder;
    write_npy(folder.path() / "offsets.npy", log.offsets());
    write_npy(folder.path() / "pairs.npy", log.rows());
    write_npy(folder.path() / "clicks.npy", log.clicks());
    write_npy(folder.path() / "positions.npy", log.positions_shown());
    write_npy(folder.path() / dictionary_id_file, std::vector<std::uint64_t>{1});
    std::string why;
    const auto mapped = columns_mapper().map(folder.path(), {}, why);
    ASSERT_TRUE(mapped);
    EXPECT_EQ(epoch_of(mapped->log, 512), expected_epoch(log.sessions()));
    WorkerTeam workers(2);
    EpochSessions of_log(log, {block, log.sessions()}, 1, 1, true, workers),
        of_file(mapped->log, {block, log.sessions()}, 1, 1, true, workers);
    Shard expected, shard;
    for (std::size_t begin = 0; begin + 200 <= log.sessions() - block; begin += 5000) {
      const SessionSelection of_memory = of_log.at(begin, 200), part = of_file.at(begin, 200);
      expected.pack(of_memory.sessions, of_memory.places);
      shard.pack(part.sessions, part.places);
      ASSERT_TRUE(std::ranges::equal(shard.rows(), expected.rows()));
      ASSERT_TRUE(std::ranges::equal(shard.clicks(), expected.clicks()));
      ASSERT_TRUE(std::ranges::equal(shard.positions(), expected.positions()));
    }
  }
}

}  // namespace
}  // namespace ultr::epoch_sessions_test
