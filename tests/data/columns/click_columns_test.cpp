#include "data/columns/click_columns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "data/columns/mapped_log.h"
#include "data/log/pair_dictionary.h"
#include "testing/temporary_folder.h"

namespace ultr::click_columns_test {
namespace {

using ::testing::ElementsAre;
using testing::TemporaryFolder;

/// Two lists of 2 and 1 documents.
SessionLog small_log() {
  SessionLog log;
  log.add({.rows = std::vector<std::uint32_t>{1, 2},
           .positions = std::vector<std::uint16_t>{0, 1},
           .clicks = std::vector<std::uint8_t>{1, 0},
           .query = 7});
  log.add({.rows = std::vector<std::uint32_t>{0},
           .positions = std::vector<std::uint16_t>{0},
           .clicks = std::vector<std::uint8_t>{0},
           .query = 8});
  return log;
}

TEST(ClickColumnsTest, WritesALogThatCanBeMapped) {
  for (const bool ids : {true, false}) {
    const TemporaryFolder folder;
    ClickColumns columns(folder.path(), 4, 6, 42, ids);
    columns.add(small_log());
    columns.add(small_log());
    columns.finish();
    std::string why;
    const auto mapped = columns_mapper().map(folder.path(), {}, why);
    ASSERT_TRUE(mapped) << why;
    EXPECT_EQ(mapped->dictionary_id, 42u);
    EXPECT_EQ(mapped->largest_row, 2u);
    EXPECT_THAT(mapped->log.rows(), ElementsAre(1, 2, 0, 1, 2, 0));
    EXPECT_THAT(mapped->log.clicks(), ElementsAre(1, 0, 0, 1, 0, 0));
    EXPECT_THAT(mapped->log.offsets(), ElementsAre(0, 2, 3, 5, 6));
    EXPECT_EQ(mapped->log[3].query, 8u);
    EXPECT_EQ(std::filesystem::exists(folder.path() / "documents.npy"), ids);
  }
}

TEST(ClickColumnsTest, HasAsManyListsAsItWasToHave) {
  const TemporaryFolder folder;
  for (const std::size_t lists : {1u, 3u}) {
    ClickColumns columns(folder.path(), lists, 2 * lists, 42, true);
    columns.add(small_log());
    EXPECT_THROW(columns.finish(), Error);
  }
}

TEST(WriteDictionaryTest, WritesADictionaryThatCanBeLoaded) {
  for (const std::uint64_t rows : {1u, 2u, 200'000u}) {  // in one block and in several
    const TemporaryFolder folder;
    const std::uint64_t id = write_dictionary(
        folder.path(), rows, [](std::uint64_t row) { return row % 5; },
        [](std::uint64_t row) { return 2 * row; });
    PairDictionary expected;
    for (std::uint64_t row = 1; row < rows; ++row) expected.add(row % 5, 2 * row);
    const PairDictionary written = PairDictionary::load(folder.path());
    EXPECT_EQ(written.queries(), expected.queries());
    EXPECT_EQ(written.documents(), expected.documents());
    EXPECT_EQ(id, expected.id());
    EXPECT_EQ(read_dictionary_id(folder.path()), id);
  }
}

}  // namespace
}  // namespace ultr::click_columns_test
