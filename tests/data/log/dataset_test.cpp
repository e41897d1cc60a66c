#include "data/log/dataset.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/formats/dataset_reader.h"
#include "data/formats/tiangong.h"
#include "data/formats/yandex.h"
#include "data/readers.h"
#include "testing/errors.h"
#include "testing/golden.h"
#include "testing/temporary_folder.h"

namespace ultr::dataset_test {
namespace {

using testing::data_message;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::TemporaryFolder;

RawList list(std::uint64_t query, std::vector<std::uint64_t> documents,
             std::vector<std::uint8_t> clicks) {
  RawList made;
  made.query = query;
  made.documents = std::move(documents);
  made.clicks = std::move(clicks);
  for (std::size_t k = 0; k < made.documents.size(); ++k)
    made.positions.push_back(static_cast<std::uint16_t>(k));
  return made;
}

/// Returns a reader of files that are lists in memory.
LogReader reader_of(std::map<std::string, std::vector<RawList>> files) {
  return [files = std::move(files)](const std::filesystem::path& file, const ReadRules&,
                                    const std::function<void(const RawList&)>& take) {
    ReadReport report;
    for (const RawList& one : files.at(file.string())) {
      take(one);
      ++report.lists;
    }
    return report;
  };
}

Dataset read_train(const std::vector<RawList>& lists, const SplitShares& shares) {
  Dataset dataset;
  DatasetReader(reader_of({{"train", lists}}), {}).read_train({"train"}, shares, dataset);
  return dataset;
}

/// 1024 lists. The clicks of list i are the bits of i, so that every list is distinct.
std::vector<RawList> numbered_lists() {
  std::vector<RawList> lists;
  for (std::uint64_t i = 0; i < 1024; ++i) {
    lists.push_back(list(i, std::vector<std::uint64_t>(10, i), {}));
    for (int bit = 0; bit < 10; ++bit)
      lists.back().clicks.push_back(static_cast<std::uint8_t>(i >> bit & 1));
  }
  return lists;
}

std::vector<std::size_t> numbers_of(const SessionLog& log) {
  std::vector<std::size_t> numbers;
  for (std::size_t session = 0; session < log.sessions(); ++session) {
    std::size_t number = 0;
    for (std::size_t bit = 0; bit < 10; ++bit)
      number |= std::size_t{log[session].clicks[bit]} << bit;
    numbers.push_back(number);
  }
  return numbers;
}

/// Returns the first session, from `first` on, that goes to a part.
std::uint64_t session_in(Split split, const SplitShares& shares, std::uint64_t first = 0) {
  for (std::uint64_t i = first; i < first + 1000; ++i)
    if (shares.of(i) == split) return i;
  throw std::runtime_error("no session goes there");
}

TEST(SplitSharesTest, WithoutSharesAllSessionsAreForTraining) {
  for (std::uint64_t i = 0; i < 1000; ++i) EXPECT_EQ(SplitShares{}.of(i), Split::train);
}

TEST(SplitSharesTest, PartsHaveTheirShares) {
  constexpr double n = 100'000;
  for (const auto& [valid, test] :
       {std::pair(0.1, 0.2), std::pair(0.5, 0.), std::pair(0., 0.3), std::pair(0.49, 0.49)}) {
    const SplitShares shares = {.valid = valid, .test = test, .seed = 3};
    double counts[3] = {};
    for (std::uint64_t i = 0; i < 100'000; ++i) ++counts[static_cast<int>(shares.of(i))];
    const auto expect_share = [&](double count, double p) {
      EXPECT_NEAR(count / n, p, 5 * std::sqrt(p * (1 - p) / n));
    };
    expect_share(counts[0], 1 - valid - test);
    expect_share(counts[1], valid);
    expect_share(counts[2], test);
  }
}

TEST(SplitSharesTest, TheSeedDecidesAndNothingElse) {
  const auto parts = [](std::uint64_t seed) {
    const SplitShares shares = {.valid = 0.25, .test = 0.25, .seed = seed};
    std::vector<Split> all;
    for (std::uint64_t i = 0; i < 1000; ++i) all.push_back(shares.of(i));
    return all;
  };
  EXPECT_EQ(parts(1), parts(1));
  EXPECT_NE(parts(1), parts(2));
}

TEST(SplitSharesTest, ByTimeTheLastSessionsAreHeldOut) {
  const SplitShares shares = {.valid = 0.2, .test = 0.1, .by = SplitBy::time, .sessions = 20};
  for (std::uint64_t i = 0; i < 20; ++i)
    EXPECT_EQ(shares.of(i), i < 14 ? Split::train : i < 18 ? Split::valid : Split::test) << i;
}

TEST(DatasetReaderTest, ByTimeTheLastListsOfAllFilesAreHeldOut) {
  const std::vector<RawList> lists = numbered_lists();
  Dataset dataset;
  DatasetReader(reader_of({{"a", {lists.begin(), lists.begin() + 300}},
                           {"b", {lists.begin() + 300, lists.end()}}}),
                {})
      .read_train({"a", "b"}, {.valid = 0.25, .test = 0.125, .by = SplitBy::time}, dataset);
  EXPECT_EQ(dataset.train.sessions(), 640u);
  EXPECT_EQ(numbers_of(dataset.valid).front(), 640u);
  EXPECT_EQ(numbers_of(dataset.test).front(), 896u);
  EXPECT_EQ(dataset.test.sessions(), 128u);
}

TEST(DatasetReaderTest, ByQueryTheSessionsOfAQueryStayTogether) {
  std::vector<RawList> lists;
  for (std::uint64_t i = 0; i < 1000; ++i) lists.push_back(list(i % 100, {5}, {0}));
  const Dataset dataset =
      read_train(lists, {.valid = 0.2, .test = 0.3, .seed = 5, .by = SplitBy::query});
  std::map<std::uint64_t, std::size_t> sessions;
  for (const SessionLog* log : {&dataset.train, &dataset.valid, &dataset.test}) {
    EXPECT_GT(log->sessions(), 100u);
    std::map<std::uint64_t, std::size_t> of_queries;
    for (std::size_t i = 0; i < log->sessions(); ++i) ++of_queries[(*log)[i].query];
    for (const auto& [query, count] : of_queries) {
      EXPECT_EQ(count, 10u) << query;
      EXPECT_TRUE(sessions.emplace(query, count).second) << query;
    }
  }
  EXPECT_EQ(sessions.size(), 100u);
}

TEST(DatasetReaderTest, WithoutSplitAllSessionsAreForTraining) {
  const Dataset dataset =
      read_train({list(7, {5, 6}, {0, 1}), list(8, {5}, {1}), list(7, {6, 9}, {0, 0})}, {});
  ASSERT_EQ(dataset.train.sessions(), 3u);
  EXPECT_EQ(dataset.valid.sessions() + dataset.test.sessions(), 0u);
  EXPECT_THAT(dataset.train[0].rows, ElementsAre(1, 2));
  EXPECT_THAT(dataset.train[0].clicks, ElementsAre(0, 1));
  EXPECT_THAT(dataset.train[1].rows, ElementsAre(3));
  EXPECT_THAT(dataset.train[2].rows, ElementsAre(2, 4));
  EXPECT_EQ(dataset.dictionary.rows(), 5);
  EXPECT_EQ(dataset.positions, 2u);
  EXPECT_THAT(dataset.notes, IsEmpty());
}

TEST(DatasetReaderTest, SplittingLosesAndDoublesNoSession) {
  const SplitShares shares = {.valid = 0.2, .test = 0.3, .seed = 5};
  const Dataset dataset = read_train(numbered_lists(), shares);
  std::vector<std::size_t> train, valid, test;
  for (std::size_t i = 0; i < 1024; ++i) {
    const Split split = shares.of(i);
    (split == Split::train ? train : split == Split::valid ? valid : test).push_back(i);
  }
  EXPECT_EQ(numbers_of(dataset.train), train);
  EXPECT_EQ(numbers_of(dataset.valid), valid);
  EXPECT_EQ(numbers_of(dataset.test), test);
  EXPECT_GT(valid.size(), 100u);
  EXPECT_GT(test.size(), 200u);
}

TEST(DatasetReaderTest, SplittingCountsSessionsOverAllFiles) {
  const SplitShares shares = {.valid = 0.2, .test = 0.3, .seed = 5};
  const std::vector<RawList> lists = numbered_lists();
  Dataset parts;
  DatasetReader(reader_of({{"a", {lists.begin(), lists.begin() + 300}},
                           {"b", {lists.begin() + 300, lists.end()}}}),
                {})
      .read_train({"a", "b"}, shares, parts);
  const Dataset whole = read_train(lists, shares);
  EXPECT_EQ(numbers_of(parts.train), numbers_of(whole.train));
  EXPECT_EQ(numbers_of(parts.valid), numbers_of(whole.valid));
  EXPECT_EQ(numbers_of(parts.test), numbers_of(whole.test));
}

TEST(DatasetReaderTest, HeldOutPairsThatTrainingLacksAreUnknown) {
  const SplitShares shares = {.valid = 0.3, .test = 0.3, .seed = 1};
  const std::uint64_t valid = session_in(Split::valid, shares);
  const std::uint64_t test = session_in(Split::test, shares);
  const std::uint64_t train = session_in(Split::train, shares, std::max(valid, test));
  // All lists show query 1. Only training has document 5, and it comes last.
  std::vector<RawList> lists(train + 1, list(2, {100}, {0}));
  lists[valid] = list(1, {5, 6}, {1, 0});
  lists[test] = list(1, {6, 5}, {0, 1});
  lists[train] = list(1, {5}, {0});
  const Dataset dataset = read_train(lists, shares);

  const std::uint32_t known = dataset.dictionary.find(1, 5);
  ASSERT_NE(known, PairDictionary::unknown);
  EXPECT_EQ(dataset.dictionary.find(1, 6), PairDictionary::unknown);
  std::size_t found = 0;
  for (const SessionLog* log : {&dataset.valid, &dataset.test})
    for (std::size_t i = 0; i < log->sessions(); ++i)
      if ((*log)[i].rows.size() == 2) {
        ++found;
        EXPECT_EQ((*log)[i].query, 1u);
        EXPECT_THAT((*log)[i].rows, log == &dataset.valid
                                        ? ElementsAre(known, PairDictionary::unknown)
                                        : ElementsAre(PairDictionary::unknown, known));
        EXPECT_THAT((*log)[i].clicks,
                    log == &dataset.valid ? ElementsAre(1, 0) : ElementsAre(0, 1));
      }
  EXPECT_EQ(found, 2u);
}

TEST(DatasetReaderTest, HeldOutListsKeepAllTheirColumns) {
  std::vector<RawList> lists;
  for (std::uint64_t i = 0; i < 20; ++i) {
    lists.push_back(list(i, {i, 100 + i}, {0, static_cast<std::uint8_t>(i % 2)}));
    lists.back().positions = {1, static_cast<std::uint16_t>(2 + i)};
    lists.back().propensities = {0.5f, 1 / static_cast<float>(i + 1)};
    lists.back().signals[Signal::dwell] = {static_cast<std::uint16_t>(i), 7};
  }
  const Dataset dataset = read_train(lists, {.valid = 0.25, .test = 0.25, .by = SplitBy::time});
  ASSERT_EQ(dataset.test.sessions(), 5u);
  for (std::size_t k = 0; k < 5; ++k) {
    const SessionView session = dataset.test[k];
    const RawList& expected = lists[15 + k];
    EXPECT_EQ(session.query, expected.query);
    EXPECT_THAT(session.positions, ::testing::ElementsAreArray(expected.positions));
    EXPECT_THAT(session.clicks, ::testing::ElementsAreArray(expected.clicks));
    EXPECT_THAT(session.propensities, ::testing::ElementsAreArray(expected.propensities));
    EXPECT_THAT(session.signals[Signal::dwell],
                ::testing::ElementsAreArray(expected.signals[Signal::dwell]));
    EXPECT_FALSE(dataset.test.has(Signal::viewed));
  }
}

TEST(DatasetReaderTest, RejectsListsWithoutClicks) {
  EXPECT_EQ(data_message([] {
              read_train({list(1, {2, 3}, {})}, {});
            }),
            "the list has no clicks; expected a click log (judged lists belong into data.labels)");
}

TEST(DatasetReaderTest, EachDocumentGetsTheRowOfItsPair) {
  std::vector<RawList> lists;
  for (std::uint64_t i = 0; i < 9000; ++i) lists.push_back(list(i % 7, {i, i / 3, 5}, {0, 1, 0}));
  Dataset dataset;
  const DatasetReader reader(
      reader_of({{"a", lists}, {"b", {lists[8000], list(1, {3, 90'000}, {1, 0})}}}), {});
  reader.read_train({"a"}, {}, dataset);
  reader.read_sessions({"b"}, dataset, dataset.valid);
  reader.read_sessions({"b"}, dataset, dataset.valid);  // to what is there
  ASSERT_EQ(dataset.train.sessions(), lists.size());
  for (std::size_t i = 0; i < lists.size(); ++i)
    for (std::size_t k = 0; k < 3; ++k)
      ASSERT_EQ(dataset.train[i].rows[k],
                dataset.dictionary.find(lists[i].query, lists[i].documents[k]));
  for (const std::size_t session : {0u, 2u})
    EXPECT_THAT(dataset.valid[session].rows, ::testing::ElementsAreArray(dataset.train[8000].rows));
  EXPECT_THAT(dataset.valid[3].rows, ElementsAre(dataset.dictionary.find(1, 3), 0));
}

TEST(DatasetReaderTest, ListsThatAreRefusedAddNothingToTheDictionary) {
  RawList with_propensities = list(2, {6}, {1});
  with_propensities.propensities = {0.5F};
  const std::vector<RawList> lists = {list(1, {5}, {0}), with_propensities, list(3, {7}, {1})};
  const LogReader skipping = [&](const std::filesystem::path&, const ReadRules&,
                                 const std::function<void(const RawList&)>& take) {
    ReadReport report;
    for (const RawList& one : lists) try {
        take(one);
      } catch (const DataError&) {
        ++report.malformed;
      }
    return report;
  };
  Dataset dataset;
  DatasetReader(skipping, {}).read_train({"train"}, {}, dataset);
  EXPECT_EQ(dataset.train.sessions(), 2u);
  EXPECT_THAT(dataset.train.rows(), ElementsAre(1, 2));
  EXPECT_THAT(dataset.dictionary.queries(), ElementsAre(0, 1, 3));
}

TEST(DatasetReaderTest, OtherSessionsAddNothingToTheDictionary) {
  Dataset dataset;
  RawList late = list(7, {6, 99}, {1, 0});
  late.positions = {2, 11};
  const DatasetReader reader(reader_of({{"train", {list(7, {5, 6}, {0, 1})}},
                                        {"valid", {late}},
                                        {"test", {list(7, {5}, {1}), list(7, {6}, {0})}}}),
                             {});
  reader.read_train({"train"}, {}, dataset);
  reader.read_sessions({"valid"}, dataset, dataset.valid);
  EXPECT_EQ(dataset.positions, 12u) << "a model needs to know them";
  EXPECT_EQ(dataset.train.positions(), 2u);
  reader.read_sessions({"test"}, dataset, dataset.test);
  EXPECT_EQ(dataset.positions, 12u);
  EXPECT_EQ(dataset.dictionary.rows(), 3);
  EXPECT_THAT(dataset.valid[0].rows, ElementsAre(2, PairDictionary::unknown));
  EXPECT_THAT(dataset.valid[0].positions, ElementsAre(2, 11));
  EXPECT_THAT(dataset.valid[0].clicks, ElementsAre(1, 0));
  EXPECT_EQ(dataset.valid.sessions(), 1u);
  EXPECT_EQ(dataset.test.sessions(), 2u);
}

TEST(DatasetReaderTest, RejectsASplitWithoutTrainingSessions) {
  const SplitShares shares = {.valid = 0.9, .test = 0.05, .seed = 1};
  const std::uint64_t valid = session_in(Split::valid, shares);
  ASSERT_EQ(valid, 0u) << "choose another seed";
  EXPECT_EQ(data_message([&] { read_train({list(7, {5}, {0})}, shares); }),
            "no session is left to train on; expected smaller data.split shares");
}

/// A log in columns with one list, whose documents have these rows of a dictionary.
MappedLog mapped_list(std::vector<std::uint32_t> rows, std::uint64_t dictionary_id) {
  const std::size_t length = rows.size();
  MappedLog mapped{.dictionary_id = dictionary_id,
                   .largest_row = *std::max_element(rows.begin(), rows.end())};
  mapped.log =
      SessionLog({.offsets = std::vector<std::int64_t>{0, static_cast<std::int64_t>(length)},
                  .rows = std::move(rows),
                  .clicks = std::vector<std::uint8_t>(length)});
  return mapped;
}

class MappingReaderTest : public ::testing::Test {
 protected:
  MappingReaderTest() {
    dictionary_.add(7, 10);
    dictionary_.add(7, 11);
    dictionary_.save(folder_.path());
  }
  /// Returns a reader of four files. The folder is mapped as a list with the rows `train` of the
  /// folder's dictionary; `other` is mapped as a list with row 2 of the dictionary `id_of_others`;
  /// `long` can be mapped but must be read; `text` cannot be mapped.
  DatasetReader reader(std::vector<std::uint32_t> train, std::uint64_t id_of_others) {
    return {reader_of({{path(), {list(7, {10, 12}, {0, 1})}},
                       {"other", {list(7, {11}, {0})}},
                       {"long", {list(7, {10}, {0})}},
                       {"text", {list(7, {10}, {0})}}}),
            {},
            {.is_mappable = [](const std::filesystem::path& file) { return file != "text"; },
             .map = [=, this](const std::filesystem::path& file, const ReadRules&,
                              std::string& why) -> std::optional<MappedLog> {
               if (file == "long") {
                 why = "it is long";
                 return std::nullopt;
               }
               return file == path() ? mapped_list(train, dictionary_.id())
                                     : mapped_list({2}, id_of_others);
             }}};
  }
  std::string path() const { return folder_.path().string(); }

  const TemporaryFolder folder_;
  PairDictionary dictionary_;
};

TEST_F(MappingReaderTest, MapsFilesInsteadOfReadingThem) {
  Dataset dataset;
  const DatasetReader maps = reader({2, 1}, dictionary_.id());
  maps.read_train({path()}, {}, dataset);
  EXPECT_TRUE(dataset.train.in_columns());
  EXPECT_THAT(dataset.train[0].rows, ElementsAre(2, 1));
  EXPECT_EQ(dataset.dictionary.rows(), 3);
  EXPECT_EQ(dataset.dictionary.id(), dictionary_.id());
  EXPECT_EQ(dataset.positions, 2u);
  maps.read_sessions({"other"}, dataset, dataset.valid);
  EXPECT_TRUE(dataset.valid.in_columns());
  EXPECT_THAT(dataset.valid[0].rows, ElementsAre(2));
  EXPECT_THAT(dataset.notes, IsEmpty());
}

TEST_F(MappingReaderTest, RowsOfAnotherDictionaryAreLookedUp) {
  Dataset dataset;
  const DatasetReader maps = reader({2, 1}, dictionary_.id() + 1);
  maps.read_train({path()}, {}, dataset);
  maps.read_sessions({"other"}, dataset, dataset.valid);
  EXPECT_FALSE(dataset.valid.in_columns());
  EXPECT_THAT(dataset.valid[0].rows, ElementsAre(2)) << "document 11";
  EXPECT_THAT(dataset.notes,
              ElementsAre("other: is read into memory, not mapped: its rows refer to another "
                          "dictionary than that of training"));
}

TEST_F(MappingReaderTest, SeveralFilesAndSplitOnesAreRead) {
  Dataset split, several;
  const DatasetReader maps = reader({2, 1}, dictionary_.id());
  maps.read_train({path()}, {.test = 1e-9, .seed = 1}, split);
  EXPECT_FALSE(split.train.in_columns());
  EXPECT_EQ(split.dictionary.find(7, 12), 2u);
  const std::string is_read = ": is read into memory, not mapped: ";
  EXPECT_THAT(split.notes, ElementsAre(path() + is_read + "some of its sessions are held out"));
  maps.read_train({path(), "text", "other"}, {}, several);
  EXPECT_EQ(several.train.sessions(), 3u);
  EXPECT_EQ(several.dictionary.find(7, 11), 3u);
  EXPECT_THAT(several.notes, ElementsAre(path() + is_read + "it is one of several files",
                                         "other" + is_read + "it is one of several files"));
}

TEST_F(MappingReaderTest, NotesWhyAMappableFileIsRead) {
  Dataset dataset;
  const DatasetReader maps = reader({2, 1}, dictionary_.id());
  maps.read_train({"text"}, {}, dataset);
  EXPECT_THAT(dataset.notes, IsEmpty()) << "it cannot be mapped";
  maps.read_sessions({"long"}, dataset, dataset.valid);
  maps.read_sessions({"other"}, dataset, dataset.valid);
  EXPECT_EQ(dataset.valid.sessions(), 2u);
  EXPECT_THAT(dataset.notes,
              ElementsAre("long: is read into memory, not mapped: it is long",
                          "other: is read into memory, not mapped: other sessions come before it"));
}

TEST_F(MappingReaderTest, WithoutADictionaryOfItsOwnTheTrainingLogIsRead) {
  Dataset dataset;
  reader({2, 1}, 0).read_train({"other"}, {}, dataset);
  EXPECT_FALSE(dataset.train.in_columns());
  EXPECT_EQ(dataset.dictionary.find(7, 11), 1u);
  EXPECT_THAT(
      dataset.notes,
      ElementsAre("other: is read into memory, not mapped: it has no dictionary of its own"));
}

TEST_F(MappingReaderTest, RejectsRowsThatTheDictionaryLacks) {
  Dataset dataset;
  EXPECT_EQ(data_message([&] { reader({3}, 0).read_train({path()}, {}, dataset); }),
            path() + ": a document has row 3; expected rows below 3, the dictionary's rows");
}

TEST(DatasetReaderTest, NotesCutListsAndSkippedLines) {
  const TemporaryFolder folder;
  const std::string good = "1\t7\t[5, 6]\t[1, 1]\t[0, 1]\n";
  const auto clean = folder.write("clean.txt", good);
  const auto file = folder.write(
      "log.txt", good + "oops\n" + good + "1\t7\t[1, 2, 3]\t[1, 1, 1]\t" + "[0, 0, 1]\nmore\n");
  Dataset dataset;
  DatasetReader(read_tiangong, {.max_positions = 2, .truncate = true, .skip_malformed = true})
      .read_train({clean, file}, {}, dataset);
  EXPECT_EQ(dataset.train.sessions(), 4u);
  EXPECT_EQ(dataset.train.longest(), 2u);
  ASSERT_EQ(dataset.notes.size(), 2u);
  EXPECT_EQ(dataset.notes[0], file.string() + ": 1 of 3 lists were cut to 2 positions");
  EXPECT_THAT(dataset.notes[1],
              ::testing::StartsWith(file.string() + ": 2 of 5 lines were left out; the first: " +
                                    file.string() + ":2: 1 fields; expected "));
}

TEST(DatasetReaderTest, ReadsLabels) {
  const TemporaryFolder folder;
  const auto train = folder.write("train.txt", "1\t7\t[5, 6]\t[1, 1]\t[0, 1]\n");
  const auto labels = folder.write("labels.txt",
                                   "1\t7\t[9, 6, 5]\t[1, 1, 1]\t[0, 1, 0]\t[-2, 4, 0]\n"
                                   "1\t8\t[5]\t[1]\t[0]\t[3]\n");
  Dataset dataset;
  const DatasetReader reader(read_tiangong, {});
  reader.read_train({train}, {}, dataset);
  reader.read_labels({labels}, dataset);
  ASSERT_EQ(dataset.labels.size(), 2u);
  EXPECT_THAT(dataset.labels.rows(0), ElementsAre(0, 2, 1));
  EXPECT_THAT(dataset.labels.labels(0), ElementsAre(-2, 4, 0));
  EXPECT_THAT(dataset.labels.rows(1), ElementsAre(0)) << "another query";
  EXPECT_THAT(dataset.labels.labels(1), ElementsAre(3));
  EXPECT_EQ(dataset.labels.query(0), 7u);
  EXPECT_EQ(dataset.labels.query(1), 8u);
  EXPECT_EQ(dataset.positions, 3u) << "of the longest judged list, which models rank as well";
  EXPECT_EQ(dataset.train.sessions(), 1u) << "judged lists are no training sessions";
  EXPECT_EQ(dataset.dictionary.rows(), 3);
}

TEST(DatasetReaderTest, RejectsListsWithoutLabels) {
  const TemporaryFolder folder;
  const auto tiangong = folder.write("tiangong.txt",
                                     "1\t7\t[5]\t[1]\t[0]\t[3]\n"
                                     "1\t7\t[5]\t[1]\t[0]\n");
  const auto yandex = folder.write("yandex.txt", "1\t0\tQ\t7\t2\t5\n");
  const auto message = [](const LogReader& read, const std::filesystem::path& file) {
    return data_message([&] {
      Dataset dataset;
      DatasetReader(read, {}).read_labels({file}, dataset);
    });
  };
  EXPECT_EQ(message(read_tiangong, tiangong),
            tiangong.string() + ":2: the list has no relevance labels; expected judged lists");
  EXPECT_EQ(message(read_yandex, yandex),
            yandex.string() + ":1: the list has no relevance labels; expected judged lists");
}

TEST(DatasetReaderTest, SkippingLeavesOutListsWithoutLabelsButNotAllOfThem) {
  const TemporaryFolder folder;
  const auto some = folder.write("some.txt",
                                 "1\t7\t[5]\t[1]\t[0]\n"
                                 "1\t7\t[5]\t[1]\t[0]\t[3]\n");
  const auto none = folder.write("none.txt", "1\t7\t[5]\t[1]\t[0]\n");
  const DatasetReader reader(read_tiangong, {.skip_malformed = true});
  Dataset dataset;
  reader.read_labels({some}, dataset);
  EXPECT_EQ(dataset.labels.size(), 1u);
  EXPECT_THAT(
      dataset.notes,
      ElementsAre(some.string() + ": 1 of 2 lines were left out; the first: " + some.string() +
                  ":1: the list has no relevance labels; expected judged lists"));
  EXPECT_EQ(data_message([&] { reader.read_labels({none}, dataset); }),
            none.string() +
                ": has no list; expected at least one line (1 of 1 lines were left "
                "out; the first: " +
                none.string() + ":1: the list has no relevance labels; expected judged lists)");
}

TEST(DatasetDataTest, TianGong) {
  ULTR_NEEDS_DATA();
  const auto folder = *testing::data_folder() / "tiangong";
  Dataset dataset;
  const DatasetReader reader(read_tiangong, {});
  reader.read_train({folder / "train.txt"}, {}, dataset);
  reader.read_sessions({folder / "valid.txt"}, dataset, dataset.valid);
  reader.read_sessions({folder / "test.txt"}, dataset, dataset.test);
  reader.read_labels({folder / "human_labels.txt"}, dataset);
  EXPECT_EQ(dataset.train.sessions(), 2872u);
  EXPECT_EQ(dataset.train.clicked(), 1293u);
  EXPECT_NEAR(dataset.train.click_rate(), 0.045, 0.0005);
  EXPECT_EQ(dataset.valid.sessions(), 361u);
  EXPECT_EQ(dataset.test.sessions(), 363u);
  EXPECT_EQ(dataset.labels.size(), 856u);
  EXPECT_EQ(dataset.dictionary.rows(), 22609 + 1) << "pairs that training shows, and the unknown";
  EXPECT_EQ(dataset.positions, 10u);
  EXPECT_THAT(dataset.notes, IsEmpty());

  Dataset split;
  const SplitShares shares = {.valid = 0.1, .test = 0.1, .seed = 1};
  reader.read_train({folder / "train.txt"}, shares, split);
  EXPECT_EQ(split.train.sessions() + split.valid.sessions() + split.test.sessions(), 2872u);
  EXPECT_EQ(split.train.clicked() + split.valid.clicked() + split.test.clicked(), 1293u);
}

}  // namespace
}  // namespace ultr::dataset_test
