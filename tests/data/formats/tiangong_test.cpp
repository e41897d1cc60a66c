#include "data/formats/tiangong.h"

#include <map>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/gzip.h"
#include "data/read_lists.h"
#include "testing/errors.h"
#include "testing/golden.h"
#include "testing/temporary_folder.h"

namespace ultr::tiangong_test {
namespace {

using testing::data_message;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::read_lists;
using testing::ReadLists;
using testing::TemporaryFolder;

ReadLists read(const std::string& text, const ReadRules& rules = {}) {
  return testing::read_text_of_lists(read_tiangong, text, rules);
}

std::string message_of(const std::string& text, const ReadRules& rules = {}) {
  return testing::message_of_text(read_tiangong, text, rules);
}

const std::string good = "1\t7\t[5, 6]\t[1, 1]\t[0, 1]\n";

TEST(TiangongTest, ReadsListsInOrder) {
  const auto [lists, report] = read(
      "460\t798\t[2270, 18, 4088]\t[1, -1, 30]\t[0, 1, 1]\n"
      "460\t298\t[2281]\t[1]\t[0]\n");
  ASSERT_EQ(lists.size(), 2u) << "session ids repeat";
  EXPECT_EQ(lists[0].query, 798u);
  EXPECT_THAT(lists[0].documents, ElementsAre(2270, 18, 4088));
  EXPECT_THAT(lists[0].positions, ElementsAre(0, 1, 2));
  EXPECT_THAT(lists[0].clicks, ElementsAre(0, 1, 1));
  EXPECT_THAT(lists[0].labels, IsEmpty());
  EXPECT_EQ(lists[1].query, 298u);
  EXPECT_THAT(lists[1].documents, ElementsAre(2281));
  EXPECT_EQ(report.lines, 2u);
  EXPECT_EQ(report.lists, 2u);
  EXPECT_EQ(report.truncated, 0u);
  EXPECT_EQ(report.malformed, 0u);
}

TEST(TiangongTest, ReadsRelevanceLabels) {
  const auto lists = read(
                         "1\t7\t[5, 6, 7, 8, 9, 10]\t[1, 1, 1, 1, 1, 1]\t[0, 0, 0, 0, 0, 0]\t"
                         "[-2, 0, 1, 2, 3, 4]\n")
                         .lists;
  EXPECT_THAT(lists[0].labels, ElementsAre(-2, 0, 1, 2, 3, 4));
}

TEST(TiangongTest, LabelsOfOneLineDoNotReachTheNext) {
  const auto lists = read("1\t7\t[5]\t[1]\t[0]\t[3]\n" + good).lists;
  EXPECT_THAT(lists[0].labels, ElementsAre(3));
  EXPECT_THAT(lists[1].labels, IsEmpty());
}

TEST(TiangongTest, PaddingIsLeftOut) {
  const auto lists = read(
                         "1\t7\t[5, 6, 0, 0]\t[1, 1, 0, 0]\t[0, 1, 0, 0]\n"
                         "1\t7\t[0, 5, 0, 6]\t[0, 1, 0, 1]\t[0, 1, 0, 0]\t[-2, 3, -2, 4]\n")
                         .lists;
  EXPECT_THAT(lists[0].documents, ElementsAre(5, 6));
  EXPECT_THAT(lists[0].positions, ElementsAre(0, 1));
  EXPECT_THAT(lists[0].clicks, ElementsAre(0, 1));
  EXPECT_THAT(lists[1].documents, ElementsAre(5, 6));
  EXPECT_THAT(lists[1].positions, ElementsAre(1, 3)) << "the others keep their positions";
  EXPECT_THAT(lists[1].clicks, ElementsAre(1, 0));
  EXPECT_THAT(lists[1].labels, ElementsAre(3, 4));
}

TEST(TiangongTest, ReadsGzipAndWindowsLineEnds) {
  const TemporaryFolder folder;
  const auto packed =
      folder.write("log.txt.gz", testing::gzip("1\t7\t[5]\t[1]\t[1]\r\n\r\n2\t8\t[6]\t[1]\t[0]"));
  const auto [lists, report] = read_lists(read_tiangong, packed);
  ASSERT_EQ(lists.size(), 2u);
  EXPECT_THAT(lists[0].clicks, ElementsAre(1));
  EXPECT_EQ(lists[1].query, 8u);
  EXPECT_EQ(report.lines, 3u);
}

TEST(TiangongTest, ReportsLineAndErrorOfMalformedInput) {
  const auto expect_message = [](const std::string& line, const std::string& message) {
    EXPECT_EQ(message_of(good + line + "\n"), ":2: " + message);
  };
  const std::string fields =
      " fields; expected session, query, [documents], [verticals], [clicks] and perhaps "
      "[relevance], separated by tabs";
  expect_message("1", "1" + fields);
  expect_message("1 7 [5] [1] [0]", "1" + fields);
  expect_message("1\t7\t[5]\t[1]", "4" + fields);
  expect_message("1\t7\t[5]\t[1]\t[0]\t[1]\t", "7" + fields);
  expect_message("s\t7\t[5]\t[1]\t[0]", "the session id is 's'; expected a whole number");
  expect_message("\t7\t[5]\t[1]\t[0]", "the session id is ''; expected a whole number");
  expect_message("1\t-7\t[5]\t[1]\t[0]", "the query id is '-7'; expected a whole number");
  expect_message("1\t7\t5\t[1]\t[0]", "a document id is '5'; expected a list like [1, 2]");
  expect_message("1\t7\t[-5]\t[1]\t[0]",
                 "a document id is '-5'; expected a whole number from 0 to 9223372036854775807");
  expect_message("1\t7\t[5\t[1]\t[0]", "a document id is '[5'; expected a list like [1, 2]");
  expect_message("1\t7\t[5]\t[x]\t[0]",
                 "a vertical is 'x'; expected a whole number from -9223372036854775807 to "
                 "9223372036854775807");
  expect_message("1\t7\t[5]\t[1]\t[2]", "a click is '2'; expected a whole number from 0 to 1");
  expect_message("1\t7\t[5]\t[1]\t[]", "0 clicks for 1 documents; expected equally many");
  expect_message("1\t7\t[5]\t[1]\t[0, 1]", "2 clicks for 1 documents; expected equally many");
  expect_message("1\t7\t[5, 6]\t[1]\t[0, 1]", "1 verticals for 2 documents; expected equally many");
  expect_message("1\t7\t[5, 6]\t[1, 1]\t[0, 1]\t[1]",
                 "1 relevance labels for 2 documents; expected equally many");
  expect_message("1\t7\t[5]\t[1]\t[0]\t[5]",
                 "a relevance is '5'; expected a whole number from -2 to 4");
  expect_message("1\t7\t[5]\t[1]\t[0]\t[-3]",
                 "a relevance is '-3'; expected a whole number from -2 to 4");
  expect_message("1\t7\t[5]\t[1]\t[0]\t[-1]",
                 "a relevance is '-1'; expected -2 (unjudged) or 0 to 4");
  expect_message("1\t7\t[5, 0]\t[1, 0]\t[0, 1]",
                 "a click at rank 2, which is padding (document 0); expected 0 there");
  expect_message("1\t7\t[0, 5]\t[1, 0]\t[1, 0]",
                 "a click at rank 1, which is padding (document 0); expected 0 there");
  expect_message("1\t7\t[]\t[]\t[]", "the list is empty; expected at least one document");
  expect_message("1\t7\t[0, 0]\t[0, 0]\t[0, 0]",
                 "the list is empty; expected at least one document");
  expect_message("\xff\x01\t7\t[5]\t[1]\t[0]",
                 "the session id is '\\xff\\x01'; expected a whole number");
}

TEST(TiangongTest, RejectsLongListsUnlessToldToCut) {
  const std::string four = "1\t7\t[5, 6, 7, 8]\t[1, 1, 1, 1]\t[0, 1, 0, 1]\t[1, 2, 3, 4]\n";
  EXPECT_EQ(message_of(good + four, {.max_positions = 3}),
            ":2: the list shows a document at position 4; expected at most data.max_positions = 3 "
            "(or data.long_lists: truncate)");
  EXPECT_EQ(read(four, {.max_positions = 4}).report.truncated, 0u);

  const auto [lists, report] = read(good + four, {.max_positions = 3, .truncate = true});
  EXPECT_THAT(lists[1].documents, ElementsAre(5, 6, 7));
  EXPECT_THAT(lists[1].positions, ElementsAre(0, 1, 2));
  EXPECT_THAT(lists[1].clicks, ElementsAre(0, 1, 0));
  EXPECT_THAT(lists[1].labels, ElementsAre(1, 2, 3));
  EXPECT_EQ(report.lists, 2u);
  EXPECT_EQ(report.truncated, 1u);
}

TEST(TiangongTest, CutsAtPositionsNotDocuments) {
  const std::string gaps = "1\t7\t[0, 5, 0, 6]\t[0, 1, 0, 1]\t[0, 1, 0, 0]\n";
  EXPECT_THAT(message_of(gaps, {.max_positions = 3}), HasSubstr("a document at position 4;"));
  const auto [lists, report] = read(gaps, {.max_positions = 3, .truncate = true});
  EXPECT_THAT(lists[0].documents, ElementsAre(5));
  EXPECT_THAT(lists[0].positions, ElementsAre(1));
  EXPECT_EQ(report.truncated, 1u);
  // Padding at the end does not count as a position.
  EXPECT_EQ(read("1\t7\t[5, 6, 0, 0]\t[1, 1, 0, 0]\t[0, 1, 0, 0]\n", {.max_positions = 2})
                .report.truncated,
            0u);
}

TEST(TiangongTest, AListWithoutDocumentsAfterCuttingIsMalformed) {
  const std::string late = "1\t7\t[0, 0, 5]\t[0, 0, 1]\t[0, 0, 1]\n";
  EXPECT_EQ(message_of(good + late, {.max_positions = 2, .truncate = true}),
            ":2: the list shows no document at the first 2 positions; expected at least one");
}

TEST(TiangongTest, VeryLongListsAreCutToo) {
  // Longer than 16-bit positions can count.
  std::string documents = "[1", others = "[0";
  for (int i = 1; i < 65537; ++i) {
    documents += ", 1";
    others += ", 0";
  }
  const std::string line = "1\t7\t" + documents + "]\t" + others + "]\t" + others + "]\n";
  EXPECT_THAT(message_of(line), HasSubstr("a document at position 65537;"));
  const auto [lists, report] = read(line, {.max_positions = 3, .truncate = true});
  EXPECT_THAT(lists[0].positions, ElementsAre(0, 1, 2));
  EXPECT_EQ(report.truncated, 1u);
}

TEST(TiangongTest, SkipsMalformedAndLongLists) {
  const TemporaryFolder folder;
  const auto file =
      folder.write("log.txt", good + "oops\n" + good + "1\t7\t[5, 6, 7]\t[1, 1, 1]\t[0, 1, 0]\n" +
                                  "1\t7\t[5]\t[1]\t[9]\n" + good);
  const auto [lists, report] =
      read_lists(read_tiangong, file, {.max_positions = 2, .skip_malformed = true});
  EXPECT_EQ(lists.size(), 3u);
  EXPECT_EQ(report.lines, 6u);
  EXPECT_EQ(report.lists, 3u);
  EXPECT_EQ(report.malformed, 3u);
  EXPECT_THAT(report.first_malformed, ::testing::StartsWith(file.string() + ":2: 1 fields;"));
}

TEST(TiangongTest, ListsThatTakeRejectsAreMalformed) {
  const TemporaryFolder folder;
  const auto file = folder.write("log.txt", good + good);
  int calls = 0;
  const auto refuse_second = [&](const RawList&) {
    if (++calls == 2) throw DataError("not this one");
  };
  EXPECT_EQ(data_message([&] { read_tiangong(file, {}, refuse_second); }),
            file.string() + ":2: not this one");
  calls = 0;
  const ReadReport report = read_tiangong(file, {.skip_malformed = true}, refuse_second);
  EXPECT_EQ(report.lists, 1u) << "what is left out is no list";
  EXPECT_EQ(report.malformed, 1u);
}

TEST(TiangongTest, RejectsAFileWithoutLists) {
  EXPECT_EQ(message_of(""), ": has no list; expected at least one line");
  EXPECT_EQ(message_of("\n\r\n"), ": has no list; expected at least one line");
  EXPECT_THAT(message_of("x\n", {.skip_malformed = true}),
              ::testing::AllOf(HasSubstr(": has no list; expected at least one line (1 of 1 lines "
                                         "were left out; the first: "),
                               HasSubstr("log.txt:1: 1 fields;")));
}

/// Totals over a file.
struct Counts {
  std::size_t lists = 0, documents = 0, clicks = 0;
  std::map<int, std::size_t> labels;
};

Counts count(const std::string& name) {
  const auto [lists, report] =
      read_lists(read_tiangong, *testing::data_folder() / "tiangong" / name);
  EXPECT_EQ(report.lists, lists.size());
  EXPECT_EQ(report.lines, lists.size());
  EXPECT_EQ(report.truncated + report.malformed, 0u);
  Counts counts;
  counts.lists = lists.size();
  for (const RawList& list : lists) {
    EXPECT_EQ(list.documents.size(), 10u);
    EXPECT_EQ(list.clicks.size(), 10u);
    std::vector<std::uint16_t> all(10);
    std::iota(all.begin(), all.end(), std::uint16_t{0});
    EXPECT_EQ(list.positions, all);
    counts.documents += list.documents.size();
    for (const auto click : list.clicks) counts.clicks += click;
    for (const int label : list.labels) ++counts.labels[label];
  }
  return counts;
}

TEST(TiangongDataTest, TrainingSessions) {
  ULTR_NEEDS_DATA();
  const Counts train = count("train.txt");
  EXPECT_EQ(train.lists, 2872u);
  EXPECT_EQ(train.documents, 28720u);
  EXPECT_EQ(train.clicks, 1293u);
  EXPECT_NEAR(static_cast<double>(train.clicks) / 28720, 0.045, 0.0005);
  EXPECT_THAT(train.labels, IsEmpty());
}

TEST(TiangongDataTest, HeldOutSessions) {
  ULTR_NEEDS_DATA();
  const Counts valid = count("valid.txt"), test = count("test.txt");
  EXPECT_EQ(valid.lists, 361u);
  EXPECT_EQ(valid.documents, 3610u);
  EXPECT_EQ(valid.clicks, 152u);
  EXPECT_EQ(test.lists, 363u);
  EXPECT_EQ(test.documents, 3630u);
  EXPECT_EQ(test.clicks, 165u);
}

TEST(TiangongDataTest, JudgedLists) {
  ULTR_NEEDS_DATA();
  const Counts judged = count("human_labels.txt");
  EXPECT_EQ(judged.lists, 856u);
  EXPECT_EQ(judged.documents, 8560u);
  EXPECT_EQ(judged.clicks, 502u);
  EXPECT_THAT(judged.labels, ElementsAre(std::pair(-2, 497), std::pair(0, 5063), std::pair(1, 2170),
                                         std::pair(2, 692), std::pair(3, 101), std::pair(4, 37)));
}

}  // namespace
}  // namespace ultr::tiangong_test
