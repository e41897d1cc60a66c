#include <filesystem>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files/npy.h"
#include "base/peak_memory.h"
#include "data/columns/columns.h"
#include "data/log/pair_dictionary.h"
#include "data/log/session_sample.h"
#include "testing/errors.h"
#include "testing/temporary_folder.h"

namespace ultr::mapped_log_test {
namespace {

using testing::data_message;
using ::testing::ElementsAre;
using testing::TemporaryFolder;

class MappedLogTest : public ::testing::Test {
 protected:
  /// Lists of 2 and 1 documents, the second at position 4.
  MappedLogTest() {
    write<std::int64_t>("offsets", {0, 2, 3});
    write<std::uint64_t>("queries", {7, 8});
    write<std::uint32_t>("pairs", {1, 2, 9});
    write<std::uint16_t>("positions", {0, 1, 4});
    write<std::uint8_t>("clicks", {1, 0, 0});
    write<std::uint64_t>("dictionary.id", {42});
  }
  template <class T>
  void write(const std::string& column, const std::vector<T>& values) {
    write_npy(folder_.path() / (column + ".npy"), values);
  }
  std::optional<MappedLog> mapped(const ReadRules& rules = {}) {
    why_.clear();
    return columns_mapper().map(folder_.path(), rules, why_);
  }
  std::string message() {
    const std::string message = data_message([&] { mapped(); });
    const std::string folder = folder_.path().string();
    return message.starts_with(folder) ? message.substr(folder.size()) : message;
  }

  const TemporaryFolder folder_;
  std::string why_;  // reason that it was not mapped
};

TEST_F(MappedLogTest, MapsTheColumnsOfAFolder) {
  EXPECT_TRUE(columns_mapper().is_mappable(folder_.path()));
  const auto mapped = this->mapped();
  ASSERT_TRUE(mapped);
  EXPECT_EQ(why_, "");
  EXPECT_TRUE(mapped->log.in_columns());
  EXPECT_EQ(mapped->dictionary_id, 42u);
  EXPECT_EQ(mapped->largest_row, 9u);
  EXPECT_THAT(mapped->log[0].rows, ElementsAre(1, 2));
  EXPECT_THAT(mapped->log[1].positions, ElementsAre(4));
  EXPECT_THAT(mapped->log[0].clicks, ElementsAre(1, 0));
  EXPECT_EQ(mapped->log[1].query, 8u);
  EXPECT_EQ(mapped->log.positions(), 5u);
}

TEST_F(MappedLogTest, MapsSignals) {
  write<std::uint8_t>("viewed", {1, 0, 1});
  write<std::uint16_t>("dwell", {65535, 0, 3});
  const auto mapped = this->mapped();
  ASSERT_TRUE(mapped);
  EXPECT_THAT(mapped->log[0].signals[Signal::viewed], ElementsAre(1, 0));
  EXPECT_THAT(mapped->log[1].signals[Signal::dwell], ElementsAre(3));
  EXPECT_FALSE(mapped->log.has(Signal::skipped));
  write<std::uint8_t>("viewed", {1, 0, 2});
  EXPECT_EQ(message(), ": viewed.npy: a list has 2; expected 0 to 1");
  write<float>("viewed", {1, 0, 1});
  EXPECT_EQ(message(),
            ": viewed.npy has elements of type '<f4'; expected integers, but <f4 (float32) in "
            "propensities.npy and features.npy");
}

TEST_F(MappedLogTest, LogsThatMustBeReadAreNotMapped) {
  EXPECT_TRUE(mapped({.max_positions = 5}));
  EXPECT_FALSE(mapped({.max_positions = 4})) << "to be refused or cut";
  EXPECT_EQ(why_, "lists show documents at up to position 5; expected at most max_positions = 4");
  write<std::uint16_t>("positions", {1, 1, 4});
  EXPECT_FALSE(mapped({.skip_malformed = true}));
  EXPECT_EQ(why_, "malformed lists have to be skipped");
  std::filesystem::remove(folder_.path() / "pairs.npy");
  EXPECT_FALSE(columns_mapper().is_mappable(folder_.path())) << "documents have no rows";
}

TEST_F(MappedLogTest, EmptyLogsAreNotMapped) {
  write<std::int64_t>("offsets", {0});
  for (const std::string name : {"queries", "pairs", "positions", "clicks"})
    std::filesystem::remove(folder_.path() / (name + ".npy"));
  write<std::uint32_t>("pairs", {});
  EXPECT_FALSE(mapped());
  EXPECT_EQ(why_, "it has no list");
}

TEST_F(MappedLogTest, RejectsMalformedLogs) {
  write<std::uint16_t>("positions", {1, 1, 4});
  EXPECT_EQ(message(),
            ": positions.npy: entry 1 is 1 after 1; expected positions that rise within a list");
  write<std::uint32_t>("pairs", {1, 2});
  EXPECT_EQ(message(), ": pairs.npy: 2 entries; expected 3");
  write_npy(folder_.path() / "pairs.npy", std::vector<std::uint32_t>{1, 2, 3, 4}, 2);
  EXPECT_EQ(message(), "/pairs.npy: is a matrix; expected a vector");
  write<std::int32_t>("pairs", {1, -2, 3});
  EXPECT_EQ(message(), "/pairs.npy: entry 1 is -2; expected 0 to 4294967295");
  write<double>("pairs", {1, 2, 3});
  EXPECT_EQ(message(),
            ": pairs.npy has elements of type '<f8'; expected integers, but <f4 (float32) in "
            "propensities.npy and features.npy");
  write<std::uint64_t>("dictionary.id", {1, 2});
  write<std::uint32_t>("pairs", {1, 2, 3});
  EXPECT_EQ(message(), "/dictionary.id.npy: 2 entries; expected one, the dictionary's id");
  std::filesystem::remove(folder_.path() / dictionary_id_file);
  EXPECT_EQ(message(), "/dictionary.id.npy: cannot be read; expected a .npy file");
  std::filesystem::remove(folder_.path() / "clicks.npy");
  EXPECT_EQ(message(), ": has no clicks.npy; expected it in a click log");
  std::filesystem::remove(folder_.path() / "offsets.npy");
  EXPECT_EQ(message(), ": has no offsets.npy; expected it in a click log");
}

/// A log may be larger than memory.
TEST_F(MappedLogTest, ASampleOfSessionsHoldsLittleOfTheLog) {
  if (!peak_memory_bytes()) GTEST_SKIP() << "this system does not tell";
  constexpr std::size_t sessions = 2'000'000, bytes_per_session = 23;
  std::vector<std::int64_t> offsets(sessions + 1);
  std::iota(offsets.begin(), offsets.end(), 0);
  write<std::int64_t>("offsets", offsets);
  write<std::uint64_t>("queries", std::vector<std::uint64_t>(sessions, 7));
  write<std::uint32_t>("pairs", std::vector<std::uint32_t>(sessions, 1));
  write<std::uint16_t>("positions", std::vector<std::uint16_t>(sessions, 0));
  write<std::uint8_t>("clicks", std::vector<std::uint8_t>(sessions, 1));
  offsets = {};
  const auto mapped = this->mapped();
  ASSERT_TRUE(mapped);
  mapped->log.release();
  forget_peak_memory();
  const std::uint64_t before = *peak_memory_bytes();
  EXPECT_EQ(sample_sessions(mapped->log, 1000).sessions(), 1000u);
  EXPECT_LT(*peak_memory_bytes(), before + sessions * bytes_per_session / 2);
}

}  // namespace
}  // namespace ultr::mapped_log_test
