#include "data/formats/baidu_clicks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/baidu_text.h"
#include "data/formats/baidu_lines.h"
#include "data/gzip.h"
#include "data/read_features.h"
#include "data/read_lists.h"
#include "testing/errors.h"

namespace ultr::baidu_clicks_test {
namespace {

using testing::baidu_document;
using testing::baidu_query;
using testing::baidu_tokens;
using testing::data_message;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::read_features;
using testing::read_lists;
using testing::ReadLists;
using testing::TemporaryFolder;

LogReader reader(const std::string& options = "") {
  BaiduClickLogFormat format;
  if (!options.empty()) read_options(parse_config(options, "options"), format);
  return format.reader();
}

ReadLists read(const std::string& text, const ReadRules& rules = {},
               const std::string& options = "") {
  return testing::read_text_of_lists(reader(options), text, rules);
}

std::string message_of(const std::string& text, const ReadRules& rules = {}) {
  return testing::message_of_text(reader(), text, rules);
}

const std::vector<int> others_searched = {3742, 11492, 12169, 5061, 16905}, dash = {21429};

/// A list of six documents; the second and the fifth are placeholders.
std::string with_placeholders() {
  return baidu_query({1, 2}) + baidu_document(1, 11, {4}, {5}, 0) +
         baidu_document(2, 12, dash, {5}, 1) + baidu_document(3, 13, {}, {5}, 1) +
         baidu_document(4, 14, {4, 5}, {}, 0) + baidu_document(5, 15, others_searched, {5}, 0) +
         baidu_document(6, 16, {5}, {4}, 0);
}

TEST(BaiduClickLogTest, ReadsListsWithGapsInTheirPositions) {
  const TemporaryFolder folder;
  const auto file = folder.write(
      "part-00000.gz", testing::gzip(baidu_query({1, 2}) + baidu_document(1, 11, {4}, {5, 6}, 0) +
                                     baidu_document(4, 12, {}, {}, 1) + baidu_query({3}) +
                                     baidu_document(2, 11, {4}, {5, 6}, 0)));
  const auto [lists, report] = read_lists(reader(), file);
  ASSERT_EQ(lists.size(), 2u);
  EXPECT_EQ(lists[0].query, text_id(baidu_tokens({1, 2}))) << "qids are shared";
  EXPECT_THAT(lists[0].documents, ElementsAre(0x11, 0x12));
  EXPECT_THAT(lists[0].positions, ElementsAre(0, 3));
  EXPECT_THAT(lists[0].clicks, ElementsAre(0, 1));
  EXPECT_EQ(lists[1].query, text_id("3"));
  EXPECT_THAT(lists[1].documents, ElementsAre(0x11));
  EXPECT_THAT(lists[1].positions, ElementsAre(1));
  EXPECT_EQ(report.lines, 5u);
  EXPECT_EQ(report.lists, 2u);
}

TEST(BaiduClickLogTest, SignalsAreReadIfAskedFor) {
  const std::string text = baidu_query({1}) + baidu_document(1, 1, {}, {}, 1, "0", "3.5", "61.2") +
                           baidu_document(2, 2, {}, {}, 0, "1", "0.01", "0") +
                           baidu_document(3, 3, {}, {}, 0);
  EXPECT_FALSE(has_any(read(text).lists[0].signals));
  const RawList list = read(text, {}, "signals: true").lists.at(0);
  EXPECT_THAT(list.signals[Signal::viewed], ElementsAre(1, 1, 0));
  EXPECT_THAT(list.signals[Signal::skipped], ElementsAre(0, 1, 0));
  EXPECT_THAT(list.signals[Signal::dwell], ElementsAre(62, 0, 0));
  const auto refusal = [](const std::string& skip, const std::string& displayed,
                          const std::string& dwell) {
    return testing::message_of_text(
        reader("signals: true"),
        baidu_query({1}) + baidu_document(1, 1, {}, {}, 0, skip, displayed, dwell));
  };
  EXPECT_EQ(refusal("2", "1", "1"), ":2: the skip is '2'; expected a whole number from 0 to 1");
  EXPECT_EQ(refusal("1", "-1", "1"),
            ":2: the displayed time is '-1'; expected a number at least 0");
  EXPECT_EQ(refusal("1", "1", "x"), ":2: the dwell time is 'x'; expected a number at least 0");
}

TEST(BaiduClicksFormatTest, SignalsAreColumnsIfAskedFor) {
  const std::string text = baidu_query({1}) + baidu_document(1, 1, {4}, {}, 1, "0", "3.5", "61.2") +
                           baidu_document(2, 2, {5}, {}, 0, "1", "0", "-");
  const TemporaryFolder folder;
  const auto file = folder.write("log", text);
  EXPECT_FALSE(has_any(read_features("baidu_clicks", {file}).lists[0].signals));
  const FeatureLists lists = read_features("baidu_clicks", {file}, "signals: true").lists;
  EXPECT_THAT(lists[0].signals[Signal::viewed], ElementsAre(1, 0));
  EXPECT_THAT(lists[0].signals[Signal::skipped], ElementsAre(0, 1));
  EXPECT_THAT(lists[0].signals[Signal::dwell], ElementsAre(62, 0));
}

TEST(BaiduClickLogTest, AQueryWithoutDocumentsGivesNoList) {
  const auto lists = read(baidu_query({1}) + baidu_query({2}) + baidu_document(1, 1, {4}, {5}, 0) +
                          baidu_query({3}))
                         .lists;
  ASSERT_EQ(lists.size(), 1u);
  EXPECT_EQ(lists[0].query, text_id("2"));
}

TEST(BaiduClickLogTest, PreparedAsInThePaper) {
  const std::string few = baidu_query({3}) + baidu_document(1, 11, {4}, {5}, 0) +
                          baidu_document(2, 12, {4}, {5}, 0) + baidu_document(3, 13, {4}, {5}, 0) +
                          baidu_document(4, 14, {4}, {5}, 0);
  const std::string enough = few + baidu_document(9, 15, {4}, {5}, 1);
  EXPECT_EQ(read(with_placeholders() + few + enough).lists.size(), 3u);
  const auto lists = read(with_placeholders() + few + enough, {}, "prepare: true").lists;
  ASSERT_EQ(lists.size(), 1u) << "four documents are too few";
  EXPECT_THAT(lists[0].positions, ElementsAre(0, 1, 2, 3, 8));

  const std::string six = with_placeholders() + baidu_document(7, 17, {5}, {4}, 1);
  const auto kept = read(six, {}, "prepare: true").lists;
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_THAT(kept[0].documents, ElementsAre(0x11, 0x13, 0x14, 0x16, 0x17));
  EXPECT_THAT(kept[0].positions, ElementsAre(0, 2, 3, 5, 6)) << "the others keep their positions";
}

TEST(BaiduClickLogTest, CutsOrRejectsLongListsAtTheLineOfTheirQuery) {
  const std::string text = baidu_query({1}) + baidu_document(1, 11, {4}, {5}, 0) +
                           baidu_document(3, 12, {4}, {5}, 0) + baidu_query({2}) +
                           baidu_document(3, 12, {4}, {5}, 0);
  const std::string message =
      ": the list shows a document at position 3; expected at most data.max_positions = 2 (or "
      "data.long_lists: truncate)";
  EXPECT_EQ(message_of(text, {.max_positions = 2}), ":1" + message);
  const auto [lists, report] =
      read(text, {.max_positions = 2, .truncate = true, .skip_malformed = true});
  ASSERT_EQ(lists.size(), 1u);
  EXPECT_THAT(lists[0].documents, ElementsAre(0x11));
  EXPECT_EQ(report.truncated, 1u);
  EXPECT_EQ(report.malformed, 1u);
  EXPECT_THAT(
      report.first_malformed,
      ::testing::EndsWith(
          ":4: the list shows no document at the first 2 positions; expected at least one"));
}

TEST(BaiduClickLogTest, ReportsLineAndErrorOfMalformedInput) {
  const std::string good = baidu_query({1}) + baidu_document(1, 11, {4}, {5}, 0);
  const auto expect_message = [&](const std::string& line, const std::string& message) {
    EXPECT_EQ(message_of(good + line + baidu_document(8, 12, {4}, {5}, 0)), ":3: " + message);
  };
  const auto changed = [](const std::string& from, const std::string& to) {
    std::string line = baidu_document(2, 12, {4}, {5}, 1);
    return line.replace(line.find(from), from.size(), to);
  };
  expect_message("17\t1\n",
                 "2 fields; expected 3 of a query or 32 of a document in a click log, 6 of an "
                 "annotation");
  expect_message(testing::baidu_annotation(0, {1}, {2}, {3}, 1),
                 "an annotation; expected a click log");
  expect_message(baidu_document(0, 12, {4}, {5}, 0),
                 "the position is '0'; expected a whole number from 1 to 65535");
  expect_message(baidu_document(1, 12, {4}, {5}, 0),
                 "position 1 after 1; expected positions that rise");
  expect_message(baidu_document(2, 12, {4}, {5}, 2),
                 "the click is '2'; expected a whole number from 0 to 1");
  expect_message(
      changed("0123456789abcdef", "0123456789abcdeg"),
      "the url md5 is '00000000000000120123456789abcdeg'; expected 32 hexadecimal digits");
  expect_message(changed("0123456789abcdef", ""),
                 "the url md5 is '0000000000000012'; expected 32 hexadecimal digits");
  expect_message(changed("\t4\t", "\t4,4\t"),
                 "a token of the title is '4,4'; expected a whole number from 0 to 1048575");
  expect_message(changed("\t5\t", "\tx\t"),
                 "a token of the abstract is 'x'; expected a whole number from 0 to 1048575");
  expect_message("17\tx\t\n",
                 "a token of the query is 'x'; expected a whole number from 0 to 1048575");
  EXPECT_EQ(message_of(baidu_document(1, 11, {4}, {5}, 0)),
            ":1: a document before any query; expected a query first");
  EXPECT_EQ(message_of(baidu_query({1})),
            ": has no list; expected at least one query with documents");
}

TEST(BaiduClickLogTest, DocumentsOfAMalformedQueryAreLeftOutWithIt) {
  const auto [lists, report] =
      read(baidu_query({1}) + baidu_document(1, 11, {4}, {5}, 0) + "17\tx\t\n" +
               baidu_document(1, 12, {4}, {5}, 0) + baidu_query({2}) +
               baidu_document(1, 13, {4}, {5}, 0) + "2\tx\ty\tz\tu\tv\tw\n" +
               baidu_document(2, 14, {4}, {5}, 0),
           {.skip_malformed = true});
  ASSERT_EQ(lists.size(), 2u);
  EXPECT_THAT(lists[0].documents, ElementsAre(0x11));
  EXPECT_THAT(lists[1].documents, ElementsAre(0x13, 0x14));
  EXPECT_EQ(report.malformed, 2u);
}

TEST(BaiduClickLogTest, LinesOfUpToFiveFieldsAreMalformedQueries) {
  for (const std::string line : {"oops\n", "17\t1\n", "17\t1\t2\t\n", "17\t1\t2\t3\t\n"}) {
    const auto [lists, report] =
        read(baidu_query({1}) + baidu_document(1, 11, {4}, {5}, 0) + line +
                 baidu_document(2, 12, {4}, {5}, 0) + baidu_document(3, 13, {4}, {5}, 0) +
                 baidu_query({2}) + baidu_document(1, 14, {4}, {5}, 0),
             {.skip_malformed = true});
    ASSERT_EQ(lists.size(), 2u) << line;
    EXPECT_THAT(lists[0].documents, ElementsAre(0x11));
    EXPECT_THAT(lists[1].documents, ElementsAre(0x14));
    EXPECT_EQ(report.malformed, 1u);
  }
}

TEST(BaiduClickLogTest, ListsThatTakeRejectsAreMalformedAtTheirQuery) {
  const TemporaryFolder folder;
  const auto file = folder.write("log", baidu_query({1}) + baidu_document(1, 11, {4}, {5}, 0) +
                                            baidu_query({2}) + baidu_document(1, 12, {4}, {5}, 0));
  for (const auto& [refused, line] : {std::pair(0x11u, "1"), {0x12u, "3"}}) {
    std::size_t taken = 0;
    const auto take = [&, refused = refused](const RawList& list) {
      if (list.documents[0] == refused) throw DataError("not this one");
      ++taken;
    };
    EXPECT_EQ(data_message([&] { reader()(file, {}, take); }),
              file.string() + ":" + line + ": not this one");
    taken = 0;
    const ReadReport report = reader()(file, {.skip_malformed = true}, take);
    EXPECT_EQ(taken, 1u);
    EXPECT_EQ(report.lists, 1u);
    EXPECT_EQ(report.first_malformed, file.string() + ":" + line + ": not this one");
  }
}

TEST(BaiduClicksFormatTest, GivesClicksPositionsAndFeatures) {
  const TemporaryFolder folder;
  const auto file = folder.write("part-00000", with_placeholders());
  const FeatureLists lists = read_features("baidu_clicks", {file}).lists;
  ASSERT_EQ(lists.lists(), 1u);
  EXPECT_EQ(lists[0].query, text_id(baidu_tokens({1, 2})));
  EXPECT_THAT(lists[0].documents, ElementsAre(0x11, 0x12, 0x13, 0x14, 0x15, 0x16));
  EXPECT_THAT(lists[0].positions, ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(lists[0].clicks, ElementsAre(0, 1, 1, 0, 0, 0));
  EXPECT_THAT(lists[0].labels, IsEmpty());
  EXPECT_EQ(lists.features(), lexical_feature_names.size());
  EXPECT_EQ(data_message([&] { read_features("baidu_clicks", {file}, "prepare: true"); }),
            file.string() + ": has no list; expected at least one query with documents");
}

}  // namespace
}  // namespace ultr::baidu_clicks_test
