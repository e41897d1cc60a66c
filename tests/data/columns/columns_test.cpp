#include "data/columns/columns.h"

#include <cmath>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files/npy.h"
#include "data/read_features.h"
#include "data/read_lists.h"

namespace ultr::columns_test {
namespace {

namespace fs = std::filesystem;
using testing::data_message;
using ::testing::ElementsAre;
using testing::expect_equal;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::read_features;
using testing::read_lists;
using testing::TemporaryFolder;

/// Lists of 2 and 1 documents with all columns and 2 features.
FeatureLists full() {
  FeatureListsBuilder builder;
  builder.start_list(7);
  const auto add = [&](std::uint64_t id, std::uint16_t position, std::uint8_t click) {
    const auto row = builder.add({.id = id,
                                  .position = position,
                                  .click = click,
                                  .label = static_cast<std::int32_t>(id % 4),
                                  .propensity = 0.5f},
                                 2);
    row[0] = 0.1f * static_cast<float>(id);
    row[1] = -1;
  };
  add(50, 0, 1);
  add(51, 4, 0);
  builder.start_list(8);
  add(52, 1, 1);
  return builder.build();
}

/// Lists of 2 and 1 documents with words; the second document has none.
FeatureLists with_words() {
  FeatureListsBuilder builder(1);
  builder.start_list(7);
  builder.add({.id = 50});
  builder.add_words(std::vector<std::uint32_t>{9, 8, 7}, std::vector<std::uint8_t>{0, 1, 2});
  builder.add({.id = 51});
  builder.add_words({}, {});
  builder.start_list(8);
  builder.add({.id = 52});
  builder.add_words(std::vector<std::uint32_t>{6, 5}, std::vector<std::uint8_t>{0, 0});
  return builder.build();
}

/// A folder with all columns of full(), for tests to damage.
fs::path written(const TemporaryFolder& folder) {
  write_columns(folder.path() / "columns", full());
  return folder.path() / "columns";
}

TEST(ColumnsTest, WordsComeBack) {
  const TemporaryFolder folder;
  const fs::path one = folder.path() / "one", two = folder.path() / "two";
  write_columns(one, with_words());
  const FeatureLists lists = read_columns(one);
  expect_equal(lists, with_words());
  EXPECT_THAT(lists.words(0).tokens, ElementsAre(9, 8, 7));
  EXPECT_THAT(lists.words(0).types, ElementsAre(0, 1, 2));
  EXPECT_THAT(lists.words(1).tokens, IsEmpty());
  EXPECT_THAT(lists.words(2).tokens, ElementsAre(6, 5));
  const FeatureLists last = select_documents(lists, std::vector<std::size_t>{1, 2});
  EXPECT_THAT(last.words(1).tokens, ElementsAre(6, 5));
  // Several folders are joined.
  write_columns(two, last);
  const FeatureLists joined = read_features("columns", {one, two}).lists;
  EXPECT_EQ(joined.documents(), 5u);
  EXPECT_THAT(joined.words(4).tokens, ElementsAre(6, 5));
}

TEST(ColumnsTest, WordsThatDoNotFitAreRefused) {
  const auto message = [](const auto& damage) {
    const TemporaryFolder folder;
    const fs::path columns = folder.path() / "columns";
    write_columns(columns, with_words());
    damage(columns);
    const std::string text = data_message([&] { read_columns(columns); });
    EXPECT_TRUE(text.starts_with(columns.string() + ": ")) << text;
    return text.substr(std::min(text.size(), columns.string().size() + 2));
  };
  using Offsets = std::vector<std::int64_t>;
  EXPECT_EQ(message([](auto& f) {
              write_npy(f / "token_offsets.npy", Offsets{0, 3, 5});
            }),
            "token_offsets.npy: 3 entries; expected 4, one more than documents");
  EXPECT_EQ(message([](auto& f) {
              write_npy(f / "token_offsets.npy", Offsets{0, 3, 2, 5});
            }),
            "token_offsets.npy: entry 2 is 2 after 3; expected no less");
  EXPECT_EQ(message([](auto& f) {
              write_npy(f / "token_offsets.npy", Offsets{1, 3, 3, 5});
            }),
            "token_offsets.npy: entry 0 is 1; expected 0");
  EXPECT_EQ(message([](auto& f) { write_npy(f / "tokens.npy", std::vector<std::uint32_t>{1}); }),
            "tokens.npy: 1 entries; expected 5, as token_offsets.npy ends");
  using Types = std::vector<std::uint8_t>;
  EXPECT_EQ(message([](auto& f) {
              write_npy(f / "token_types.npy", Types{0, 1, 2, 3, 0});
            }),
            "token_types.npy: entry 3 is 3; expected 0 (query), 1 (title) or 2 (abstract)");
  EXPECT_EQ(message([](auto& f) { fs::remove(f / "token_types.npy"); }),
            "token_types.npy: 0 entries; expected one for each of the 5 tokens");
  EXPECT_THAT(message([](auto& f) { fs::remove(f / "token_offsets.npy"); }),
              HasSubstr("token_offsets.npy: there are none"));
}

TEST(ColumnsTest, ReadsWhatItWrote) {
  const TemporaryFolder folder;
  const fs::path columns = written(folder);
  expect_equal(read_columns(columns), full());
  EXPECT_EQ(std::distance(fs::directory_iterator(columns), {}), 8);
  EXPECT_EQ(folder.size(), 1u) << "nothing else is left";
}

TEST(ColumnsTest, ColumnsThatAreEmptyAreLeftOut) {
  const TemporaryFolder folder;
  FeatureListsBuilder builder;
  builder.start_list(3);
  builder.add({.label = 1});
  const FeatureLists lists = builder.build();
  write_columns(folder.path() / "x/y/z/", lists);
  expect_equal(read_columns(folder.path() / "x/y/z"), lists);
  EXPECT_FALSE(fs::exists(folder.path() / "x/y/z/features.npy"));
  EXPECT_FALSE(fs::exists(folder.path() / "x/y/z/clicks.npy"));
}

TEST(ColumnsTest, ReadsWhatNumpyWrites) {
  const TemporaryFolder folder;
  write_npy(folder.path() / "offsets.npy", std::vector<std::int64_t>{0, 2});
  write_npy(folder.path() / "features.npy", std::vector<float>{1, 2, 3, 4, 5, 6}, 3);
  const FeatureLists lists = read_columns(folder.path());
  EXPECT_EQ(lists.features(), 3u);
  EXPECT_THAT(lists[0].features, ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(ColumnsTest, ColumnsAreMappedAndOutliveTheirFiles) {
  const TemporaryFolder folder;
  const fs::path columns = written(folder);
  const FeatureLists lists = read_columns(columns);
  fs::remove_all(columns);
  expect_equal(lists, full());
}

TEST(ColumnsTest, RefusesToOverwrite) {
  const TemporaryFolder folder;
  const fs::path columns = written(folder);
  EXPECT_EQ(data_message([&] { write_columns(columns, FeatureLists()); }),
            columns.string() + ": already exists; expected a new name");
  expect_equal(read_columns(columns), full());
  const fs::path within = folder.write("file", "") / "columns";
  EXPECT_THAT(data_message([&] { write_columns(within, full()); }),
              HasSubstr(within.string() + ": cannot be written (Not a directory)"));
  EXPECT_EQ(folder.size(), 2u);
}

TEST(ColumnsTest, ReplacesWhatAStoppedProgramLeft) {
  const TemporaryFolder folder;
  fs::create_directory(folder.path() / "columns.part");
  folder.write("columns.part/clicks.npy", "half");
  expect_equal(read_columns(written(folder)), full());
  EXPECT_EQ(folder.size(), 1u);
}

TEST(ColumnsTest, IntegersMayHaveAnyTypeThatHoldsThem) {
  const TemporaryFolder folder;
  const fs::path columns = written(folder);
  const FeatureLists lists = read_columns(columns);
  const auto rewrite = [&](const std::string& name, auto type, const auto& column) {
    std::vector<decltype(type)> values;
    for (const auto value : column) values.push_back(static_cast<decltype(type)>(value));
    write_npy(columns / (name + ".npy"), values);
  };
  rewrite("offsets", std::uint16_t{}, lists.columns().offsets);
  rewrite("queries", std::int64_t{}, lists.columns().queries);
  rewrite("documents", std::int32_t{}, lists.columns().documents);
  rewrite("positions", std::int64_t{}, lists.columns().positions);
  rewrite("clicks", std::int64_t{}, lists.columns().clicks);
  rewrite("labels", std::int8_t{}, lists.columns().labels);
  expect_equal(read_columns(columns), full());
}

TEST(ColumnsTest, AllWrongTypesAreNamedAtOnce) {
  const TemporaryFolder folder;
  const fs::path columns = written(folder);
  const std::vector<double> numbers(3);
  write_npy(columns / "clicks.npy", numbers);
  write_npy(columns / "propensities.npy", numbers);
  EXPECT_EQ(data_message([&] { read_columns(columns); }),
            columns.string() +
                ": clicks.npy has elements of type '<f8', propensities.npy has elements of type "
                "'<f8'; expected integers, but <f4 (float32) in propensities.npy and features.npy");
}

TEST(ColumnsTest, SaysWhichColumnIsWrong) {
  const TemporaryFolder folder;
  const fs::path columns = written(folder);
  const auto message = [&](const fs::path& from) {
    const std::string found = data_message([&] { read_columns(from); });
    EXPECT_THAT(found, ::testing::StartsWith(from.string()));
    return found.substr(std::min(from.string().size(), found.size()));
  };
  const auto expect_message = [&](const std::string& name, const auto& values,
                                  const std::string& expected, std::size_t width = 0) {
    const fs::path copy = folder.path() / "copy";
    fs::remove_all(copy);
    fs::copy(columns, copy);
    write_npy(copy / name, values, width);
    EXPECT_EQ(message(copy), expected);
  };
  // NumPy's default types are int64 for integers and float64 for other numbers.
  const std::vector<double> numbers(6);
  const std::string expected =
      "; expected integers, but <f4 (float32) in propensities.npy and features.npy";
  for (const std::string name : {"offsets", "queries", "documents", "positions", "clicks", "labels",
                                 "propensities", "features"})
    expect_message(name + ".npy", numbers,
                   ": " + name + ".npy has elements of type '<f8'" + expected, 2);
  expect_message("propensities.npy", std::vector<std::int64_t>(3),
                 ": propensities.npy has elements of type '<i8'" + expected);
  expect_message("clicks.npy", std::vector<std::int64_t>{0, 1, 256},
                 "/clicks.npy: entry 2 is 256; expected 0 to 255");
  expect_message("clicks.npy", std::vector<std::uint8_t>{1, 0},
                 ": clicks.npy: 2 entries; expected one for each of the 3 documents");
  expect_message("clicks.npy", std::vector<std::uint8_t>{1, 0, 7},
                 ": clicks.npy: entry 2 is 7; expected 0 or 1");
  expect_message("queries.npy", std::vector<std::uint64_t>{1},
                 ": queries.npy: 1 entries; expected one for each of the 2 lists");
  expect_message("offsets.npy", std::vector<std::int64_t>{0, 3, 2, 3},
                 ": offsets.npy: entry 2 is 2 after 3; expected more, since every list has a "
                 "document");
  expect_message("clicks.npy", std::vector<std::uint8_t>{1, 0, 0},
                 "/clicks.npy: is a matrix; expected a vector", 1);
  expect_message("features.npy", std::vector<float>(6),
                 "/features.npy: is a vector; expected a matrix [documents, features]");
  expect_message("features.npy", std::vector<float>(4),
                 ": features.npy: 2 rows of 2; expected one for each of the 3 documents", 2);
  expect_message("features.npy", std::vector<float>{1, 2, 3, std::nanf(""), 5, 6},
                 ": features.npy: feature 1 of document 1 is nan; expected a finite number (or "
                 "data.scaling.missing: keep, for boosted_trees)",
                 2);

  fs::resize_file(columns / "labels.npy", fs::file_size(columns / "labels.npy") - 1);
  EXPECT_EQ(message(columns),
            "/labels.npy: holds 11 bytes of data for 3 elements; expected a .npy file of <i4");
  fs::remove(columns / "offsets.npy");
  const std::string none = ": has no offsets.npy; expected a folder of .npy columns";
  EXPECT_EQ(message(columns), none);
  EXPECT_EQ(message(folder.path() / "missing"), none);
}

TEST(ColumnsFormatTest, JoinsFoldersOfTheSameColumns) {
  const TemporaryFolder folder;
  const fs::path columns = written(folder);
  const FeatureLists lists = read_features("columns", {columns, columns}).lists;
  ASSERT_EQ(lists.lists(), 4u);
  EXPECT_THAT(lists.columns().offsets, ElementsAre(0, 2, 3, 5, 6));
  EXPECT_EQ(lists[3].query, 8u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_THAT(lists[2 + i].documents, ::testing::ElementsAreArray(full()[i].documents));
    EXPECT_THAT(lists[2 + i].features, ::testing::ElementsAreArray(full()[i].features));
  }

  const fs::path other = folder.path() / "other";
  fs::copy(columns, other);
  fs::remove(other / "labels.npy");
  EXPECT_EQ(
      data_message([&] {
        read_features("columns", {columns, other});
      }),
      other.string() + ": labels.npy: is missing; expected the columns of " + columns.string());
  EXPECT_EQ(data_message([&] {
              read_features("columns", {other, columns});
            }),
            columns.string() + ": labels.npy: is there; expected the columns of " + other.string());
  fs::remove(other / "features.npy");
  EXPECT_EQ(data_message([&] {
              read_features("columns", {columns, other});
            }),
            other.string() + ": features.npy: 0 columns; expected 2 as in " + columns.string());
}

TEST(ColumnsLogTest, ReadsAClickLog) {
  const TemporaryFolder folder;
  const auto [lists, report] = read_lists(read_columns_log, written(folder));
  ASSERT_EQ(lists.size(), 2u);
  EXPECT_EQ(lists[0].query, 7u);
  EXPECT_THAT(lists[0].documents, ElementsAre(50, 51));
  EXPECT_THAT(lists[0].positions, ElementsAre(0, 4));
  EXPECT_THAT(lists[0].clicks, ElementsAre(1, 0));
  EXPECT_THAT(lists[0].labels, ElementsAre(2, 3));
  EXPECT_THAT(lists[0].propensities, ElementsAre(0.5f, 0.5f));
  EXPECT_THAT(lists[1].documents, ElementsAre(52));
  EXPECT_EQ(report.lists, 2u);
}

TEST(ColumnsLogTest, WithoutPositionsDocumentsStandAtTheirRanks) {
  const TemporaryFolder folder;
  const fs::path columns = written(folder);
  for (const char* name : {"positions", "labels", "propensities", "queries", "features"})
    fs::remove(columns / (std::string(name) + ".npy"));
  const auto lists = read_lists(read_columns_log, columns).lists;
  ASSERT_EQ(lists.size(), 2u);
  EXPECT_EQ(lists[0].query, 0u);
  EXPECT_THAT(lists[0].positions, ElementsAre(0, 1));
  EXPECT_THAT(lists[0].labels, IsEmpty());
  EXPECT_THAT(lists[0].propensities, IsEmpty());
  fs::remove(columns / "clicks.npy");
  EXPECT_EQ(data_message([&] { read_lists(read_columns_log, columns); }),
            columns.string() + ": has no clicks.npy; expected it in a click log");
}

TEST(ColumnsLogTest, JudgedListsNeedNoClicks) {
  const TemporaryFolder folder;
  const fs::path columns = written(folder);
  fs::remove(columns / "clicks.npy");
  const auto lists = read_lists(read_columns_log, columns).lists;
  EXPECT_THAT(lists[0].clicks, IsEmpty());
  EXPECT_EQ(lists[0].labels.size(), lists[0].documents.size());
}

TEST(ColumnsLogTest, TellsProgressWhichMayEndIt) {
  constexpr std::size_t lists = 200'000;  // one document each
  const TemporaryFolder folder;
  std::vector<std::int64_t> offsets(lists + 1);
  std::iota(offsets.begin(), offsets.end(), 0);
  std::vector<std::uint64_t> documents(lists);
  std::iota(documents.begin(), documents.end(), 5);
  write_npy(folder.path() / "offsets.npy", offsets);
  write_npy(folder.path() / "documents.npy", documents);
  write_npy(folder.path() / "clicks.npy", std::vector<std::uint8_t>(lists));
  write_npy(folder.path() / "queries.npy", std::vector<std::uint64_t>());  // counts as missing
  std::uintmax_t bytes = 0;
  for (const auto& file : fs::directory_iterator(folder.path())) bytes += file.file_size();

  std::vector<std::uint64_t> told;
  std::uint64_t taken = 0;
  const auto take = [&](const RawList& list) {
    ASSERT_THAT(list.documents, ElementsAre(5 + taken++)) << "pages that were given back too";
  };
  read_columns_log(folder.path(), {.progress = [&](std::uint64_t read) { told.push_back(read); }},
                   take);
  EXPECT_EQ(taken, lists);
  EXPECT_EQ(told.size(), lists / 65536 + 1);
  EXPECT_EQ(std::accumulate(told.begin(), told.end(), std::uint64_t{0}), bytes);

  taken = 0;
  EXPECT_THROW(read_columns_log(folder.path(),
                                {.progress = [](std::uint64_t) { throw std::bad_alloc(); }}, take),
               std::bad_alloc);
  EXPECT_LT(taken, lists);
}

TEST(ColumnsLogTest, CutsOrRejectsLongLists) {
  const TemporaryFolder folder;
  const fs::path columns = written(folder);
  EXPECT_EQ(data_message([&] { read_lists(read_columns_log, columns, {.max_positions = 4}); }),
            columns.string() +
                ":1: the list shows a document at position 5; expected at most "
                "data.max_positions = 4 (or data.long_lists: truncate)");
  const auto [lists, report] =
      read_lists(read_columns_log, columns, {.max_positions = 4, .truncate = true});
  EXPECT_EQ(report.truncated, 1u);
  EXPECT_THAT(lists[0].documents, ElementsAre(50));
  EXPECT_THAT(lists[0].labels, ElementsAre(2));
  EXPECT_THAT(lists[0].propensities, ElementsAre(0.5f));
}

TEST(ColumnsLogTest, PositionsMustRise) {
  const TemporaryFolder folder;
  const fs::path columns = written(folder);
  write_npy(columns / "positions.npy", std::vector<std::uint16_t>{4, 4, 0});
  const std::string message =
      columns.string() + ":1: position 4 after 4; expected positions that rise";
  EXPECT_EQ(data_message([&] { read_lists(read_columns_log, columns); }), message);
  const auto [lists, report] = read_lists(read_columns_log, columns, {.skip_malformed = true});
  EXPECT_EQ(lists.size(), 1u);
  EXPECT_EQ(report.malformed, 1u);
  EXPECT_EQ(report.first_malformed, message);
}

}  // namespace
}  // namespace ultr::columns_test
