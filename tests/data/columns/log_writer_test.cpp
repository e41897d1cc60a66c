#include "data/columns/log_writer.h"

#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "data/columns/columns.h"
#include "data/log/pair_dictionary.h"
#include "testing/errors.h"
#include "testing/temporary_folder.h"

namespace ultr::log_writer_test {
namespace {

using testing::data_message;
using ::testing::ElementsAre;
using testing::TemporaryFolder;

RawList shown(std::vector<std::uint64_t> documents, std::vector<std::uint16_t> positions) {
  RawList list;
  list.clicks.resize(documents.size());
  list.documents = std::move(documents);
  list.positions = std::move(positions);
  return list;
}

template <class T>
std::vector<T> column(const TemporaryFolder& folder, const std::string& name) {
  return read_npy<T>(folder.path() / (name + ".npy"));
}

TEST(LogWriterTest, WritesEveryColumnOfLists) {
  const TemporaryFolder folder;
  LogWriter columns(folder.path(), {});
  columns.add({.query = 7,
               .documents = {5, 6},
               .positions = {0, 2},
               .clicks = {0, 1},
               .labels = {3, -2},
               .propensities = {0.5f, 1.f}});
  columns.add({.query = 8,
               .documents = {4},
               .positions = {0},
               .clicks = {1},
               .labels = {0},
               .propensities = {0.25f}});
  EXPECT_EQ(columns.lists(), 2u);
  EXPECT_EQ(columns.documents(), 3u);
  columns.finish();
  EXPECT_THAT(column<std::int64_t>(folder, "offsets"), ElementsAre(0, 2, 3));
  EXPECT_THAT(column<std::uint64_t>(folder, "queries"), ElementsAre(7, 8));
  EXPECT_THAT(column<std::uint64_t>(folder, "documents"), ElementsAre(5, 6, 4));
  EXPECT_THAT(column<std::uint16_t>(folder, "positions"), ElementsAre(0, 2, 0));
  EXPECT_THAT(column<std::uint8_t>(folder, "clicks"), ElementsAre(0, 1, 1));
  EXPECT_THAT(column<std::int32_t>(folder, "labels"), ElementsAre(3, -2, 0));
  EXPECT_THAT(column<float>(folder, "propensities"), ElementsAre(0.5f, 1.f, 0.25f));
  EXPECT_EQ(folder.size(), 7u);
}

TEST(LogWriterTest, OmitsColumnsThatListsLack) {
  const TemporaryFolder folder;
  LogWriter columns(folder.path(), {.documents = false});
  columns.add(shown({5, 6}, {0, 1}));
  EXPECT_FALSE(columns.has_positions() || columns.has_labels() || columns.has_propensities());
  columns.finish();
  EXPECT_EQ(folder.size(), 3u) << "offsets, queries, clicks";
}

TEST(LogWriterTest, PositionsBeginWithTheListsBeforeTheFirstGap) {
  const TemporaryFolder folder;
  LogWriter columns(folder.path(), {.documents = false});
  std::vector<std::uint16_t> expected;
  for (std::size_t list = 0; list < 20'000; ++list) {
    std::vector<std::uint16_t> positions(1 + list % 3);
    const bool gap = list == 15'000 || list == 19'999;
    std::iota(positions.begin(), positions.end(), static_cast<std::uint16_t>(gap ? 4 : 0));
    expected.insert(expected.end(), positions.begin(), positions.end());
    columns.add(shown(std::vector<std::uint64_t>(positions.size()), positions));
    EXPECT_EQ(columns.has_positions(), list >= 15'000);
  }
  columns.finish();
  EXPECT_EQ(column<std::uint16_t>(folder, "positions"), expected);
}

TEST(LogWriterTest, ChecksMayEndTheWritingOfEarlierPositions) {
  const TemporaryFolder folder;
  int checks = 0;
  LogWriter columns(folder.path(), {.documents = false, .check = [&] {
                                      if (++checks == 2) throw std::bad_alloc();
                                    }});
  for (int list = 0; list < 20'000; ++list) columns.add(shown({5}, {0}));
  EXPECT_EQ(checks, 0);
  EXPECT_THROW(columns.add(shown({5}, {1})), std::bad_alloc);
}

TEST(LogWriterTest, RejectsColumnsOfSomeLists) {
  const auto message = [](const RawList& first, const RawList& second) {
    const TemporaryFolder folder;
    LogWriter columns(folder.path(), {.documents = false});
    columns.require_same_columns(first);
    columns.add(first);
    const std::string refused = data_message([&] { columns.require_same_columns(second); });
    EXPECT_EQ(data_message([&] { columns.add(second); }), refused);
    return refused;
  };
  const RawList plain = shown({5}, {0});
  const auto expect_all_or_none = [&](const RawList& with, const std::string& name,
                                      const RawList& without) {
    EXPECT_EQ(message(without, with),
              "a list with " + name + " after lists without; expected all or none");
    EXPECT_EQ(message(with, without),
              "a list without " + name + " after lists with; expected all or none");
  };
  RawList unclicked = plain, labelled = plain, logged = plain, described = plain;
  unclicked.clicks.clear();
  labelled.labels = {1};
  logged.propensities = {0.5f};
  described.features = {1, 2, 3};
  expect_all_or_none(plain, "clicks", unclicked);
  expect_all_or_none(labelled, "labels", plain);
  expect_all_or_none(logged, "propensities", plain);
  for (const Signal signal : all_signals) {
    RawList observed = plain;
    observed.signals[signal] = {1};
    expect_all_or_none(observed, std::string(type_of(signal).plural), plain);
  }
  EXPECT_EQ(message(plain, described),
            "a list with 3 features after lists with 0; expected as many");
  EXPECT_EQ(message(described, plain),
            "a list with 0 features after lists with 3; expected as many");
}

/// Two lists of 2 and 1 documents, the second displayed at `last`.
SessionLog small_log(std::uint16_t last = 0, std::vector<float> propensities = {}) {
  SessionLog log;
  log.add({.rows = std::vector<std::uint32_t>{1, 2},
           .positions = std::vector<std::uint16_t>{0, 1},
           .clicks = std::vector<std::uint8_t>{1, 0},
           .query = 7,
           .propensities = std::vector<float>(propensities.empty() ? 0 : 2, 0.5f)});
  log.add({.rows = std::vector<std::uint32_t>{0},
           .positions = std::vector<std::uint16_t>{last},
           .clicks = std::vector<std::uint8_t>{0},
           .query = 8,
           .propensities = propensities});
  return log;
}

TEST(LogWriterTest, WritesSessionsThatCanBeMapped) {
  for (const bool ids : {true, false}) {
    const TemporaryFolder folder;
    LogWriter columns(folder.path(), {.documents = ids, .pairs = true});
    columns.add(small_log());
    columns.add(SessionLog());
    columns.add(small_log());
    columns.finish();
    write_dictionary_id(folder.path(), 42);
    EXPECT_EQ(folder.size(), ids ? 6u : 5u);
    std::string why;
    const auto mapped = columns_mapper().map(folder.path(), {}, why);
    ASSERT_TRUE(mapped) << why;
    EXPECT_EQ(mapped->largest_row, 2u);
    EXPECT_THAT(mapped->log.rows(), ElementsAre(1, 2, 0, 1, 2, 0));
    EXPECT_THAT(mapped->log.clicks(), ElementsAre(1, 0, 0, 1, 0, 0));
    EXPECT_THAT(mapped->log.offsets(), ElementsAre(0, 2, 3, 5, 6));
    EXPECT_EQ(mapped->log[3].query, 8u);
  }
}

TEST(LogWriterTest, WritesPositionsAndPropensitiesOfSessions) {
  const TemporaryFolder folder;
  LogWriter columns(folder.path(), {.pairs = true});
  columns.add(small_log(0, {0.25f}));
  columns.add(small_log(5, {1}));
  columns.add(small_log(0, {1}));
  EXPECT_EQ(data_message([&] { columns.add(small_log()); }),
            "a list without propensities after lists with; expected all or none");
  columns.finish();
  EXPECT_THAT(column<std::uint64_t>(folder, "documents"), ElementsAre(1, 2, 0, 1, 2, 0, 1, 2, 0));
  EXPECT_THAT(column<std::uint16_t>(folder, "positions"), ElementsAre(0, 1, 0, 0, 1, 5, 0, 1, 0));
  EXPECT_THAT(column<float>(folder, "propensities"),
              ElementsAre(0.5f, 0.5f, 0.25f, 0.5f, 0.5f, 1, 0.5f, 0.5f, 1));
}

TEST(LogWriterTest, WritesLogsThatAreInColumnsThemselves) {
  const TemporaryFolder folder;
  LogWriter columns(folder.path(), {.pairs = true});
  columns.add(small_log(3));
  // Without queries and positions.
  columns.add(SessionLog({.offsets = std::vector<std::int64_t>{0, 2, 3},
                          .rows = std::vector<std::uint32_t>{4, 5, 6},
                          .clicks = std::vector<std::uint8_t>{1, 1, 0}}));
  columns.finish();
  EXPECT_THAT(column<std::int64_t>(folder, "offsets"), ElementsAre(0, 2, 3, 5, 6));
  EXPECT_THAT(column<std::uint64_t>(folder, "queries"), ElementsAre(7, 8, 0, 0));
  EXPECT_THAT(column<std::uint32_t>(folder, "pairs"), ElementsAre(1, 2, 0, 4, 5, 6));
  EXPECT_THAT(column<std::uint16_t>(folder, "positions"), ElementsAre(0, 1, 3, 0, 1, 0));
  EXPECT_THAT(column<std::uint8_t>(folder, "clicks"), ElementsAre(1, 0, 0, 1, 1, 0));
}

TEST(LogWriterTest, RejectsListsWithoutRowsIfItWritesPairs) {
  const TemporaryFolder folder;
  LogWriter columns(folder.path(), {.pairs = true});
  columns.add(shown({5}, {0}));
  EXPECT_THROW(columns.finish(), Error);
}

TEST(LogWriterTest, LeavesNothingBehindUnlessFinished) {
  const TemporaryFolder folder;
  {
    LogWriter columns(folder.path(), {});
    columns.add(shown({5}, {3}));
  }
  EXPECT_EQ(folder.size(), 0u);
}

}  // namespace
}  // namespace ultr::log_writer_test
