#include "data/formats/yandex.h"

#include <map>

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "data/gzip.h"
#include "data/read_lists.h"
#include "testing/errors.h"
#include "testing/temporary_folder.h"

namespace ultr::yandex_test {
namespace {

using testing::data_message;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::read_lists;
using testing::ReadLists;
using testing::TemporaryFolder;

ReadLists read(const std::string& text, const ReadRules& rules = {}) {
  return testing::read_text_of_lists(read_yandex, text, rules);
}

std::string message_of(const std::string& text, const ReadRules& rules = {}) {
  return testing::message_of_text(read_yandex, text, rules);
}

const std::string good = "1\t0\tQ\t7\t2\t10\t11\t12\n";

TEST(YandexTest, ReadsQueriesWithTheirClicks) {
  const auto [lists, report] = read(
      "10\t0\tQ\t77\t2\t1\t2\t3\t4\t5\t6\t7\t8\t9\t18446744073709551615\n"
      "10\t35\tC\t2\n"
      "10\t40\tC\t18446744073709551615\n"
      "11\t0\tQ\t78\t2\t5\t4\n");
  ASSERT_EQ(lists.size(), 2u);
  EXPECT_EQ(lists[0].query, 77u);
  EXPECT_THAT(lists[0].documents, ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, ~std::uint64_t{0}));
  EXPECT_THAT(lists[0].positions, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9));
  EXPECT_THAT(lists[0].clicks, ElementsAre(0, 1, 0, 0, 0, 0, 0, 0, 0, 1));
  EXPECT_THAT(lists[0].labels, IsEmpty());
  EXPECT_EQ(lists[1].query, 78u);
  EXPECT_THAT(lists[1].documents, ElementsAre(5, 4));
  EXPECT_THAT(lists[1].positions, ElementsAre(0, 1));
  EXPECT_THAT(lists[1].clicks, ElementsAre(0, 0));
  EXPECT_EQ(report.lines, 4u);
  EXPECT_EQ(report.lists, 2u);
  EXPECT_EQ(report.malformed, 0u);
}

TEST(YandexTest, AClickBelongsToTheLatestQueryOfItsSession) {
  const auto lists = read(
                         "1\t0\tQ\t7\t2\t10\t11\n"
                         "1\t1\tC\t10\n"
                         "1\t2\tQ\t8\t2\t10\t11\n"
                         "1\t3\tC\t11\n")
                         .lists;
  EXPECT_THAT(lists[0].clicks, ElementsAre(1, 0));
  EXPECT_THAT(lists[1].clicks, ElementsAre(0, 1));
}

TEST(YandexTest, TheSameQueryAgainIsAnotherList) {
  const auto lists = read(good + "1\t1\tC\t10\n" + good + "1\t3\tC\t12\n").lists;
  ASSERT_EQ(lists.size(), 2u);
  EXPECT_THAT(lists[0].clicks, ElementsAre(1, 0, 0));
  EXPECT_THAT(lists[1].clicks, ElementsAre(0, 0, 1));
}

TEST(YandexTest, SessionsMayBeInterleaved) {
  const auto lists = read(
                         "1\t0\tQ\t7\t2\t10\t11\n"
                         "2\t0\tQ\t8\t2\t10\t11\n"
                         "1\t5\tC\t11\n"
                         "3\t0\tQ\t9\t2\t10\t11\n"
                         "2\t6\tC\t10\n"
                         "1\t7\tC\t10\n")
                         .lists;
  ASSERT_EQ(lists.size(), 3u);
  EXPECT_EQ(lists[0].query, 7u);
  EXPECT_THAT(lists[0].clicks, ElementsAre(1, 1));
  EXPECT_EQ(lists[1].query, 8u);
  EXPECT_THAT(lists[1].clicks, ElementsAre(1, 0));
  EXPECT_EQ(lists[2].query, 9u);
  EXPECT_THAT(lists[2].clicks, ElementsAre(0, 0));
}

TEST(YandexTest, ClicksOnUrlsThatWereNotListedAreIgnored) {
  const auto [lists, report] = read(good + "1\t1\tC\t99\n");
  EXPECT_THAT(lists[0].clicks, ElementsAre(0, 0, 0));
  EXPECT_EQ(report.malformed, 0u);
}

TEST(YandexTest, ARepeatedUrlTakesTheClickAtItsFirstRank) {
  const auto lists = read("1\t0\tQ\t7\t2\t10\t11\t12\t11\n1\t1\tC\t11\n1\t2\tC\t11\n").lists;
  EXPECT_THAT(lists[0].documents, ElementsAre(10, 11, 12, 11));
  EXPECT_THAT(lists[0].clicks, ElementsAre(0, 1, 0, 0)) << "and a second click changes nothing";
}

TEST(YandexTest, TheLastSessionCounts) {
  const auto with_end = read(good + "2\t0\tQ\t8\t2\t20\n2\t1\tC\t20\n").lists;
  ASSERT_EQ(with_end.size(), 2u);
  EXPECT_THAT(with_end[1].clicks, ElementsAre(1));
  const auto without_end = read(good + "2\t0\tQ\t8\t2\t20\n2\t1\tC\t20").lists;
  ASSERT_EQ(without_end.size(), 2u);
  EXPECT_THAT(without_end[1].clicks, ElementsAre(1));
}

TEST(YandexTest, ReadsGzipAndWindowsLineEnds) {
  const TemporaryFolder folder;
  const auto packed =
      folder.write("log.txt.gz", testing::gzip("1\t0\tQ\t7\t2\t10\t11\r\n\r\n1\t1\tC\t11\r\n"));
  const auto [lists, report] = read_lists(read_yandex, packed);
  ASSERT_EQ(lists.size(), 1u);
  EXPECT_THAT(lists[0].clicks, ElementsAre(0, 1));
  EXPECT_EQ(report.lines, 3u);
}

TEST(YandexTest, ReportsLineAndErrorOfMalformedInput) {
  const auto expect_message = [](const std::string& line, const std::string& message) {
    EXPECT_EQ(message_of(good + line + "\n"), ":2: " + message);
  };
  expect_message("1", "1 fields; expected session, time, Q or C, ...");
  expect_message("1\t0", "2 fields; expected session, time, Q or C, ...");
  expect_message("1\t0\tX\t1", "the action is 'X'; expected Q or C");
  expect_message("1\t0\tq\t7\t2\t10", "the action is 'q'; expected Q or C");
  expect_message("1\t0\t\xff\x01\t1", "the action is '\\xff\\x01'; expected Q or C");
  expect_message("x\t0\tQ\t7\t2\t10", "the session id is 'x'; expected a whole number");
  expect_message("1\t-1\tQ\t7\t2\t10", "the time is '-1'; expected a whole number");
  expect_message("1\t0\tQ\tx\t2\t10", "the query id is 'x'; expected a whole number");
  expect_message("1\t0\tQ\t7\tx\t10", "the region id is 'x'; expected a whole number");
  expect_message("1\t0\tQ\t7\t2\t10\t1.5", "a url id is '1.5'; expected a whole number");
  expect_message("1\t0\tQ\t7\t2\t10\t", "a url id is ''; expected a whole number");
  expect_message("1\t0\tQ\t7\t2",
                 "a query with 5 fields; expected session, time, Q, query, region and at least one "
                 "url");
  expect_message("1\t0\tC", "a click with 3 fields; expected session, time, C and url");
  expect_message("1\t0\tC\t10\t11", "a click with 5 fields; expected session, time, C and url");
  expect_message("x\t0\tC\t10", "the session id is 'x'; expected a whole number");
  expect_message("1\tx\tC\t10", "the time is 'x'; expected a whole number");
  expect_message("1\t0\tC\tx", "the url id is 'x'; expected a whole number");
  expect_message("2\t0\tC\t10", "a click before any query of session 2; expected its query first");
}

TEST(YandexTest, RejectsLongListsUnlessToldToCut) {
  EXPECT_EQ(message_of(good, {.max_positions = 2}),
            ":1: the list shows a document at position 3; expected at most data.max_positions = 2 "
            "(or data.long_lists: truncate)");
  EXPECT_EQ(read(good, {.max_positions = 3}).report.truncated, 0u);

  const auto [lists, report] =
      read(good + "1\t1\tC\t12\n1\t1\tC\t11\n2\t0\tQ\t8\t2\t20\t21\n2\t1\tC\t21\n",
           {.max_positions = 2, .truncate = true});
  EXPECT_THAT(lists[0].documents, ElementsAre(10, 11));
  EXPECT_THAT(lists[0].positions, ElementsAre(0, 1));
  EXPECT_THAT(lists[0].clicks, ElementsAre(0, 1)) << "a click on what is cut off is ignored";
  EXPECT_THAT(lists[1].documents, ElementsAre(20, 21));
  EXPECT_THAT(lists[1].clicks, ElementsAre(0, 1));
  EXPECT_EQ(report.lists, 2u);
  EXPECT_EQ(report.truncated, 1u);
}

TEST(YandexTest, VeryLongListsAreCutToo) {
  std::string line = "1\t0\tQ\t7\t2";
  for (int i = 0; i < 65537; ++i)
    line += "\t" + std::to_string(i);  // more than 16-bit positions can count
  EXPECT_THAT(message_of(line), HasSubstr("a document at position 65537;"));
  const auto [lists, report] = read(line, {.max_positions = 3, .truncate = true});
  EXPECT_THAT(lists[0].positions, ElementsAre(0, 1, 2));
  EXPECT_EQ(report.truncated, 1u);
}

TEST(YandexTest, SkippingOmitsMalformedLines) {
  const TemporaryFolder folder;
  const auto file = folder.write("log.txt", "9\t0\tC\t10\n" + good +
                                                "1\t1\tC\n"
                                                "1\t1\tX\t11\n"
                                                "1\t1\tC\t11\n"
                                                "2\t0\tQ\t8\t2\t1\t2\t3\t4\n"
                                                "3\t0\tQ\t9\t2\t10\n");
  const auto [lists, report] =
      read_lists(read_yandex, file, {.max_positions = 3, .skip_malformed = true});
  ASSERT_EQ(lists.size(), 2u);
  EXPECT_THAT(lists[0].clicks, ElementsAre(0, 1, 0));
  EXPECT_EQ(lists[1].query, 9u);
  EXPECT_EQ(report.lines, 7u);
  EXPECT_EQ(report.lists, 2u);
  EXPECT_EQ(report.malformed, 4u);
  EXPECT_EQ(report.first_malformed,
            file.string() + ":1: a click before any query of session 9; expected its query first");
}

TEST(YandexTest, ClicksOnAQueryThatIsLeftOutGoToNoOther) {
  for (const std::string malformed :
       {"1\t2\tQ\t8\t2\t10\tx\n", "1\t2\tQ\tx\t2\t10\n", "1\tx\tQ\t8\t2\t10\n", "1\t2\tQ\t8\t2\n",
        "1\t2\tQ\t8\t2\t1\t2\t3\t10\n"}) {
    const auto [lists, report] = read("1\t0\tQ\t7\t2\t10\t11\n1\t1\tC\t11\n" + malformed +
                                          "1\t3\tC\t10\n" + "1\t4\tQ\t9\t2\t10\t11\n1\t5\tC\t10\n",
                                      {.max_positions = 3, .skip_malformed = true});
    ASSERT_EQ(lists.size(), 2u) << malformed;
    EXPECT_THAT(lists[0].clicks, ElementsAre(0, 1)) << malformed;
    EXPECT_EQ(lists[1].query, 9u);
    EXPECT_THAT(lists[1].clicks, ElementsAre(1, 0)) << malformed;
    EXPECT_EQ(report.malformed, 1u) << malformed;
  }
}

TEST(YandexTest, ListsThatTakeRejectsAreMalformedAtTheirQuery) {
  const TemporaryFolder folder;
  const auto file = folder.write("log.txt", good + "1\t1\tC\t10\n" + good);
  int calls = 0;
  const auto refuse_second = [&](const RawList&) {
    if (++calls == 2) throw DataError("not this one");
  };
  EXPECT_EQ(data_message([&] { read_yandex(file, {}, refuse_second); }),
            file.string() + ":3: not this one");
  calls = 0;
  const ReadReport report = read_yandex(file, {.skip_malformed = true}, refuse_second);
  EXPECT_EQ(report.lists, 1u);
  EXPECT_EQ(report.malformed, 1u);
  EXPECT_EQ(report.first_malformed, file.string() + ":3: not this one");
}

/// Returns one query per session, from session `first` on; its only url is the session's number.
std::string queries(std::size_t first, std::size_t count) {
  std::string text;
  for (std::size_t session = first; session < first + count; ++session)
    text += fmt::format("{0}\t0\tQ\t7\t2\t{0}\n", session);
  return text;
}

TEST(YandexTest, AClickMayComeLongAfterItsQuery) {
  // The first query and those after it: exactly as many as stay open.
  const std::string text = queries(1, yandex_open_queries) + "1\t9\tC\t1\n";
  const auto lists = read(text).lists;
  ASSERT_EQ(lists.size(), yandex_open_queries);
  EXPECT_THAT(lists[0].clicks, ElementsAre(1));
  EXPECT_THAT(lists[1].clicks, ElementsAre(0));
}

TEST(YandexTest, AClickMayComeTooLate) {
  const std::string text = queries(1, yandex_open_queries + 1) + "1\t9\tC\t1\n";
  EXPECT_EQ(message_of(text),
            fmt::format(":{}: a click, but no query of session 1 among the {} queries before it; "
                        "expected its query there",
                        yandex_open_queries + 2, yandex_open_queries));
  const auto [lists, report] = read(text + "2\t9\tC\t2\n", {.skip_malformed = true});
  ASSERT_EQ(lists.size(), yandex_open_queries + 1);
  EXPECT_THAT(lists[0].clicks, ElementsAre(0));
  EXPECT_THAT(lists[1].clicks, ElementsAre(1)) << "just in time";
  EXPECT_EQ(report.malformed, 1u);
}

TEST(YandexTest, ListsAreHandedOverWhileTheFileIsRead) {
  const TemporaryFolder folder;
  const auto file =
      folder.write("log.txt", queries(1, 3 * yandex_open_queries) + "1\t0\tQ\t7\t2\t1\nwrong\n");
  std::uint64_t taken = 0;
  EXPECT_THAT(data_message([&] {
                read_yandex(file, {}, [&](const RawList& list) {
                  ASSERT_EQ(list.documents[0], ++taken) << "in their order";
                });
              }),
              HasSubstr("1 fields; expected session"));
  EXPECT_EQ(taken, 2 * yandex_open_queries + 1);
}

TEST(YandexTest, ListsThatTakeRejectsMidwayAreMalformedAtTheirQuery) {
  const TemporaryFolder folder;
  const auto file = folder.write("log.txt", queries(1, yandex_open_queries + 5) + "wrong\n");
  const auto refuse = [&](const RawList& list) {
    if (list.documents[0] == 3) throw DataError("not this one");
  };
  EXPECT_EQ(data_message([&] { read_yandex(file, {}, refuse); }),
            file.string() + ":3: not this one");
  const ReadReport report = read_yandex(file, {.skip_malformed = true}, refuse);
  EXPECT_EQ(report.lists, yandex_open_queries + 4);
  EXPECT_EQ(report.malformed, 2u);
  EXPECT_EQ(report.first_malformed, file.string() + ":3: not this one");
}

/// Compares sessions that query and click at random with a map of all their lists.
TEST(YandexTest, SessionsThatAreMixedGetTheirClicks) {
  std::string text;
  std::vector<std::vector<std::uint8_t>> clicks;
  std::map<std::uint64_t, std::size_t> latest;
  for (std::uint64_t i = 0; i < 200'000; ++i) {
    RandomStream random(6, RandomPurpose::testing, 0, i);
    const std::uint64_t session = random.below(5000), url = random.below(3);
    if (const auto list = latest.find(session); list != latest.end() && random.below(2) == 0) {
      text += fmt::format("{}\t0\tC\t{}\n", session, url);
      clicks[list->second][url] = 1;
    } else {
      text += fmt::format("{}\t0\tQ\t7\t2\t0\t1\t2\n", session);
      latest[session] = clicks.size();
      clicks.push_back({0, 0, 0});
    }
  }
  const auto lists = read(text).lists;
  ASSERT_EQ(lists.size(), clicks.size());
  ASSERT_GT(lists.size(), yandex_open_queries);
  for (std::size_t i = 0; i < lists.size(); ++i) ASSERT_EQ(lists[i].clicks, clicks[i]) << i;
}

TEST(YandexTest, RejectsAFileWithoutQueries) {
  EXPECT_EQ(message_of(""), ": has no list; expected at least one line with Q");
  EXPECT_THAT(message_of("x\n", {.skip_malformed = true}),
              HasSubstr(": has no list; expected at least one line with Q (1 of 1 lines were left "
                        "out; the first: "));
}

}  // namespace
}  // namespace ultr::yandex_test
