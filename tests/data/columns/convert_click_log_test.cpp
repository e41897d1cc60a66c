#include "data/columns/convert_click_log.h"

#include <map>

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "data/columns/columns.h"
#include "data/format_samples.h"
#include "data/formats/dataset_reader.h"
#include "data/log/dataset.h"
#include "data/readers.h"
#include "options/config_tree.h"
#include "testing/errors.h"
#include "testing/full_disk.h"
#include "testing/run_command.h"

namespace ultr::convert_click_log_test {
namespace {

namespace fs = std::filesystem;

using testing::convert_dataset;
using testing::data_message;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using testing::TemporaryFolder;

/// Converts a click log and returns the output behind the name of the folder.
std::string converted(const std::string& format, const fs::path& file, const fs::path& output,
                      const std::vector<std::string>& options = {}) {
  ::testing::internal::CaptureStdout();
  convert_dataset({format, {file}, output, options, true});
  const std::string said = ::testing::internal::GetCapturedStdout();
  EXPECT_THAT(said, ::testing::StartsWith(output.string() + ": "));
  return said.substr(std::min(said.size(), output.string().size() + 2));
}

/// Writes made-up lists in a format.
using WriteLists = std::function<fs::path(const TemporaryFolder&, const std::vector<RawList>&)>;

template <class Line>
WriteLists line_by_line(const std::string& header, Line line) {
  return [=](const TemporaryFolder& folder, const std::vector<RawList>& lists) {
    std::string text = header;
    for (std::size_t i = 0; i < lists.size(); ++i) text += line(i, lists[i]);
    return folder.write("log", text);
  };
}

std::string tiangong_line(std::size_t session, const RawList& list) {
  return fmt::format("{}\t{}\t{}\t{}\t{}\n", session, list.query, list.documents, list.clicks,
                     list.clicks);
}

std::string yandex_lines(std::size_t session, const RawList& list) {
  std::string text =
      fmt::format("{}\t0\tQ\t{}\t1\t{}\n", session, list.query, fmt::join(list.documents, "\t"));
  for (std::size_t k = 0; k < list.documents.size(); ++k)
    if (list.clicks[k] != 0) text += fmt::format("{}\t1\tC\t{}\n", session, list.documents[k]);
  return text;
}

std::string open_bandit_lines(std::size_t, const RawList& list) {
  std::string text;
  for (std::size_t k = 0; k < list.documents.size(); ++k)
    text += fmt::format("{},{},{},0.25\n", list.documents[k], k + 1, list.clicks[k]);
  return text;
}

std::string table_rows(std::size_t session, const RawList& list) {
  std::string text;
  for (std::size_t k = 0; k < list.documents.size(); ++k)
    text += fmt::format("s{},query {},d{},{},{}\n", session, list.query, list.documents[k], k + 1,
                        list.clicks[k]);
  return text;
}

std::string baidu_lines(std::size_t, const RawList& list) {
  std::string text = testing::baidu_query({static_cast<int>(list.query) + 1});
  for (std::size_t k = 0; k < list.documents.size(); ++k)
    text += testing::baidu_document(static_cast<int>(2 * k + 1),
                                    static_cast<int>(list.documents[k]), {4}, {5}, list.clicks[k]);
  return text;
}

fs::path write_lists_as_columns(const TemporaryFolder& folder, const std::vector<RawList>& lists) {
  FeatureListsBuilder builder;
  for (const RawList& list : lists) {
    builder.start_list(list.query);
    for (std::size_t k = 0; k < list.documents.size(); ++k)
      builder.add({.id = list.documents[k], .click = list.clicks[k], .label = 1}, 1);
  }
  write_columns(folder.path() / "log", builder.build());
  return folder.path() / "log";
}

const std::map<std::string, WriteLists>& log_writers() {
  static const std::map<std::string, WriteLists> writers = {
      {"table", line_by_line("session,query,document,position,click\n", table_rows)},
      {"tiangong", line_by_line("", tiangong_line)},
      {"yandex", line_by_line("", yandex_lines)},
      {"open_bandit", line_by_line("item_id,position,click,propensity_score\n", open_bandit_lines)},
      {"baidu_clicks", line_by_line("", baidu_lines)},
      {"columns", write_lists_as_columns},
  };
  return writers;
}

std::vector<RawList> random_lists(std::size_t count, std::uint32_t key) {
  std::vector<RawList> lists(count);
  for (std::size_t i = 0; i < count; ++i) {
    RandomStream random(7, RandomPurpose::testing, key, i);
    lists[i].query = random.below(20);
    lists[i].documents.resize(1 + random.below(5));
    for (std::uint64_t& document : lists[i].documents) document = 1 + random.below(100);
    for (std::size_t k = 0; k < lists[i].documents.size(); ++k)
      lists[i].clicks.push_back(static_cast<std::uint8_t>(random.below(2)));
  }
  return lists;
}

DatasetReader reader_of(const std::string& format) {
  for (const ReaderType& type : reader_types())
    if (type.name == format) return {type.make()->reader(), {}, type.make()->mapper()};
  throw Error("there is no format " + format);
}

void expect_equal(const SessionLog& a, const SessionLog& b) {
  ASSERT_EQ(a.sessions(), b.sessions());
  for (std::size_t i = 0; i < a.sessions(); ++i) {
    EXPECT_EQ(a[i].query, b[i].query);
    EXPECT_THAT(a[i].rows, ::testing::ElementsAreArray(b[i].rows));
    EXPECT_THAT(a[i].positions, ::testing::ElementsAreArray(b[i].positions));
    EXPECT_THAT(a[i].clicks, ::testing::ElementsAreArray(b[i].clicks));
    EXPECT_THAT(a[i].propensities, ::testing::ElementsAreArray(b[i].propensities));
    if (::testing::Test::HasFailure()) return;
  }
}

class ConvertClickLogTest : public ::testing::TestWithParam<std::string> {
 protected:
  ConvertClickLogTest()
      : train_(log_writers().at(GetParam())(train_folder_, random_lists(1000, 0))),
        test_(log_writers().at(GetParam())(test_folder_, random_lists(300, 1))) {}

  /// Training and test sessions as a format reads them.
  static Dataset dataset(const std::string& format, const fs::path& train, const fs::path& test) {
    Dataset dataset;
    reader_of(format).read_train({train}, {}, dataset);
    reader_of(format).read_sessions({test}, dataset, dataset.test);
    return dataset;
  }

  TemporaryFolder train_folder_, test_folder_, folder_;
  fs::path train_, test_;
};

TEST_P(ConvertClickLogTest, GivesWhatTheLogGives) {
  const Dataset direct = dataset(GetParam(), train_, test_);
  // With room for all pairs, and for a few hundred: the others are sorted on the disk.
  for (const std::string memory : {"1", "1e-5"}) {
    const fs::path train = folder_.path() / ("train" + memory), test = train.string() + "test";
    EXPECT_THAT(converted(GetParam(), train_, train, {"memory=" + memory}),
                HasSubstr(fmt::format(", {} pairs", direct.dictionary.rows() - 1)));
    EXPECT_THAT(converted(GetParam(), test_, test, {"dictionary=" + train.string()}),
                HasSubstr("% of documents are not in the dictionary"));
    const Dataset read = dataset("columns", train, test);
    EXPECT_EQ(read.dictionary.id(), direct.dictionary.id());
    EXPECT_EQ(read.dictionary.queries(), direct.dictionary.queries());
    EXPECT_EQ(read.dictionary.documents(), direct.dictionary.documents());
    EXPECT_EQ(read.positions, direct.positions);
    expect_equal(read.train, direct.train);
    expect_equal(read.test, direct.test);
  }
}

TEST_P(ConvertClickLogTest, HashedRowsAreThoseOfTheHash) {
  const Dataset direct = dataset(GetParam(), train_, test_);
  const fs::path train = folder_.path() / "train", test = folder_.path() / "test";
  EXPECT_THAT(converted(GetParam(), train_, train, {"ids=hash", "hash_rows=100"}),
              HasSubstr(", 100 rows, "));
  converted(GetParam(), test_, test, {"dictionary=" + train.string()});
  const PairDictionary hash = PairDictionary::hashed(100);
  const auto pairs = direct.dictionary.queries(), documents = direct.dictionary.documents();
  const Dataset read = dataset("columns", train, test);
  EXPECT_EQ(read.dictionary.id(), hash.id());
  ASSERT_EQ(read.train.documents(), direct.train.documents());
  for (std::size_t i = 0; i < read.train.documents(); ++i) {
    const std::uint32_t row = direct.train.rows()[i];
    ASSERT_EQ(read.train.rows()[i], hash.find(pairs[row], documents[row]));
  }
  for (const std::uint32_t row : read.test.rows()) ASSERT_NE(row, PairDictionary::unknown);
}

std::vector<std::string> log_names() {
  std::vector<std::string> names;
  for (const ReaderType& type : reader_types()) names.push_back(type.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(All, ConvertClickLogTest, ::testing::ValuesIn(log_names()),
                         [](const auto& format) { return format.param; });

TEST(ConvertClickLogOptionsTest, KeepsWhatTheLogHasBesideClicks) {
  const TemporaryFolder folder;
  const auto tiangong =
      folder.write("log.txt", "1\t7\t[5, 0, 6]\t[1, 1, 1]\t[0, 0, 1]\t[2, -2, 0]\n");
  EXPECT_EQ(converted("tiangong", tiangong, folder.path() / "a"),
            "1 lists, 2 documents, 2 pairs, positions, labels\n");
  const FeatureLists a = read_columns(folder.path() / "a");
  EXPECT_EQ(a[0].query, 7u);
  EXPECT_THAT(a[0].positions, ElementsAre(0, 2));
  EXPECT_THAT(a[0].clicks, ElementsAre(0, 1));
  EXPECT_THAT(a[0].labels, ElementsAre(2, 0));
  EXPECT_TRUE(a.columns().documents.empty()) << "they are in the dictionary";

  converted("tiangong", tiangong, folder.path() / "b", {"ids=hash", "hash_rows=2"});
  EXPECT_THAT(read_columns(folder.path() / "b").columns().documents, ElementsAre(5, 6));

  const auto bandit =
      folder.write("men.csv", "item_id,position,click,propensity_score\n5,1,0,0.5\n6,3,1,0.25\n");
  EXPECT_EQ(converted("open_bandit", bandit, folder.path() / "c"),
            "2 lists, 2 documents, 2 pairs, positions, propensities\n");
  EXPECT_THAT(read_columns(folder.path() / "c").columns().propensities, ElementsAre(0.5f, 0.25f));
}

TEST(ConvertClickLogOptionsTest, NumbersThePairsOfALongLogInOrder) {
  // More documents than are passed on at once to the thread that looks up pairs.
  const TemporaryFolder folder;
  std::string text;
  PairDictionary dictionary;
  std::vector<std::uint32_t> rows;
  for (std::uint64_t session = 0; session < 20'000; ++session) {
    const std::uint64_t query = session % 100, first = session % 7, second = 7 + session % 11;
    text += fmt::format("{}\t0\tQ\t{}\t0\t{}\t{}\n", session, query, first, second);
    rows.push_back(dictionary.add(query, first));
    rows.push_back(dictionary.add(query, second));
  }
  EXPECT_EQ(converted("yandex", folder.write("log.txt", text), folder.path() / "columns"),
            fmt::format("20000 lists, 40000 documents, {} pairs\n", dictionary.rows() - 1));
  EXPECT_EQ(read_npy<std::uint32_t>(folder.path() / "columns" / pairs_file), rows);
}

TEST(ConvertClickLogOptionsTest, KeepsSignals) {
  using testing::baidu_document;
  const TemporaryFolder folder;
  const auto baidu = folder.write(
      "log", testing::baidu_query({1}) + baidu_document(1, 5, {4}, {}, 1, "0", "2", "30") +
                 baidu_document(2, 6, {4}, {}, 0, "1", "0", "0") + testing::baidu_query({2}) +
                 baidu_document(1, 7, {4}, {}, 0, "0", "1", "0"));
  const fs::path output = folder.path() / "a";
  EXPECT_EQ(converted("baidu_clicks", baidu, output, {"signals=true"}),
            "2 lists, 3 documents, 3 pairs, views, skips, dwell times\n");
  // Mapped, and read as by a split.
  for (const SplitShares& shares : {SplitShares(), SplitShares{.valid = 1e-9}}) {
    Dataset read;
    reader_of("columns").read_train({output}, shares, read);
    EXPECT_EQ(read.train.in_columns(), !shares.any());
    EXPECT_THAT(read.train[0].signals[Signal::viewed], ElementsAre(1, 0));
    EXPECT_THAT(read.train[0].signals[Signal::skipped], ElementsAre(0, 1));
    EXPECT_THAT(read.train[0].signals[Signal::dwell], ElementsAre(30, 0));
    EXPECT_THAT(read.train[1].signals[Signal::viewed], ElementsAre(1));
  }
  std::vector<std::string> notes;
  const FeatureLists twice = ColumnsFormat().read({output, output}, {}, notes);
  EXPECT_THAT(twice.columns().signals[Signal::dwell], ElementsAre(30, 0, 0, 30, 0, 0));
  EXPECT_THAT(
      select_documents(twice, std::vector<std::size_t>{3, 5}).columns().signals[Signal::dwell],
      ElementsAre(30, 0));
}

TEST(ConvertClickLogOptionsTest, RejectsInvalidOptionsAndWritesNothing) {
  const TemporaryFolder folder;
  const auto good = folder.write("good.txt", "1\t7\t[5, 6]\t[1, 1]\t[0, 1]\n");
  const fs::path output = folder.path() / "columns";
  const auto convert = [&](const fs::path& file, const std::vector<std::string>& options) {
    convert_dataset({"tiangong", {file}, output, options});
  };
  const auto refused = [&](const std::vector<std::string>& options) {
    return testing::config_message([&] { convert(good, options); });
  };
  EXPECT_EQ(refused({"ids=hash"}),
            "hash_rows is 0; expected at least 2 with ids=hash, better twice the pairs");
  EXPECT_EQ(refused({"hash_rows=10"}), "hash_rows is given, but ids is sort; expected ids=hash");
  EXPECT_EQ(refused({"ids=hash", "hash_rows=10", "dictionary=x"}),
            "ids=hash and dictionary are both given; expected one of them");
  EXPECT_THAT(refused({"ids=sorted"}), HasSubstr("sort"));
  EXPECT_THAT(refused({"memory=0"}), HasSubstr("above 0 and at most 1000000"));
  EXPECT_THAT(refused({"memory=1e12"}), HasSubstr("above 0 and at most 1000000"));
  EXPECT_THAT(data_message([&] { convert(good, {"dictionary=gone"}); }),
              HasSubstr("gone: there is no such file"));
  EXPECT_THAT(data_message([&] { convert(good, {"dictionary=" + folder.path().string()}); }),
              StartsWith(folder.path().string() + ": has no dictionary; "));

  // Wrong after many lists, when all columns have been begun and parts of pairs too.
  std::string text;
  for (int i = 0; i < 50'000; ++i) text += fmt::format("1\t{}\t[5, 6]\t[1, 1]\t[0, 1]\n", i);
  const auto bad = folder.write("bad.txt", text + "1\t7\t[5]\t[1]\t[0]\t[3]\n");
  const std::string message = bad.string() +
                              ":50001: a list with labels after lists without; expected all or "
                              "none";
  EXPECT_EQ(data_message([&] { convert(bad, {"memory=1e-4"}); }), message);
  EXPECT_EQ(folder.size(), 2u) << "the two logs";
  ::testing::internal::CaptureStderr();
  converted("tiangong", bad, output, {"memory=1e-4", "on_error=skip"});
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            bad.string() + ": 1 of 50001 lines were left out; the first: " + message + "\n");
  EXPECT_EQ(read_columns(output).lists(), 50'000u);
}

TEST(ConvertClickLogOptionsTest, AFullDiskIsNoFaultOfALine) {
  const TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 50'000; ++i) text += fmt::format("1\t{}\t[5, 6]\t[1, 1]\t[0, 1]\n", i);
  const auto log = folder.write("log.txt", text);
  const auto small = folder.write("small.txt", text.substr(0, text.find('\n') + 1));
  converted("tiangong", small, folder.path() / "known");
  const fs::path output = folder.path() / "columns";
  for (const std::string on_error : {"fail", "skip"})
    for (const std::vector<std::string>& options :
         {std::vector<std::string>{"memory=1"},
          {"memory=1e-4"},
          {"ids=hash", "hash_rows=10"},
          {"dictionary=" + (folder.path() / "known").string()}}) {
      SCOPED_TRACE(on_error + " " + options[0]);
      std::vector<std::string> all = options;
      all.push_back("on_error=" + on_error);
      const testing::FullDisk full(100'000);
      const std::string message = data_message([&] {
        convert_dataset({"tiangong", {log}, output, all, true});
      });
      EXPECT_THAT(message, ::testing::StartsWith(output.string() + ".part/"));
      EXPECT_THAT(message, ::testing::EndsWith(": cannot be written (File too large)"));
      EXPECT_EQ(folder.size(), 3u) << "two logs and the known pairs";
    }
}

}  // namespace
}  // namespace ultr::convert_click_log_test
