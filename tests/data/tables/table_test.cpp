#include "data/tables/table.h"

#include <functional>
#include <limits>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/formats/dataset_reader.h"
#include "data/gzip.h"
#include "data/log/dataset.h"
#include "data/log/id_names.h"
#include "data/read_lists.h"
#include "options/config_tree.h"
#include "options/read.h"

namespace ultr::table_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

LogReader table(const std::string& options = "") {
  TableFormat format;
  read_options(parse_config(options.empty() ? "{}" : options, "test"), format);
  return format.reader();
}

testing::ReadLists read(const std::string& text, const std::string& options = "",
                        ReadRules rules = {}) {
  return testing::read_text_of_lists(table(options), text, rules);
}

std::string message(const std::string& text, const std::string& options = "",
                    const ReadRules& rules = {}) {
  return testing::message_of_text(table(options), text, rules);
}

const std::string header = "session,query,document,position,click\n";

TEST(TableTest, RowsOfASessionAndQueryAreAListWhereverTheyStand) {
  IdNames names;
  const auto read = testing::read_text_of_lists(
      table(),
      header +
          "s1,red shoes,A,2,1\ns2,\"hat, blue\",B,1,0\ns1,red shoes,C,1,0\n"
          "s1,hat,A,1,false\ns1,red shoes,D,5,True\n",
      {.names = &names});
  ASSERT_EQ(read.lists.size(), 3u);
  const RawList& list = read.lists[0];
  EXPECT_EQ(names.text(list.query), "red shoes");
  EXPECT_THAT(list.positions, ElementsAre(0, 1, 4));
  EXPECT_THAT(list.clicks, ElementsAre(0, 1, 1));
  EXPECT_EQ(names.text(list.documents[0]), "C");
  EXPECT_EQ(names.text(list.documents[1]), "A");
  EXPECT_EQ(names.text(read.lists[1].query), "hat, blue");
  EXPECT_EQ(read.lists[2].documents[0], list.documents[1]) << "A";
  EXPECT_NE(read.lists[2].query, list.query);
  EXPECT_TRUE(read.report.notes.empty());
}

TEST(TableTest, ColumnsAreNamedInAnyOrder) {
  const auto lists =
      read("clicked\tproduct\trank\tprice\tsid\n0\t7\t0\t1.5\ta\n1\t8\t1\t2\ta\n",
           "{delimiter: tab, columns: {session: sid, document: product, position: rank, click: "
           "clicked}}")
          .lists;
  ASSERT_EQ(lists.size(), 1u);
  EXPECT_EQ(lists[0].query, 0u);
  EXPECT_THAT(lists[0].documents, ElementsAre(7, 8));
  EXPECT_THAT(lists[0].positions, ElementsAre(0, 1));
  EXPECT_THAT(lists[0].clicks, ElementsAre(0, 1));
}

TEST(TableTest, ColumnsMayBeNumbers) {
  const std::string numbers = "{header: false, columns: {session: 2, document: 1, click: 3}}";
  const auto lists = read("7,a,0\n8,a,1\n9,b,0\n", numbers).lists;
  ASSERT_EQ(lists.size(), 2u);
  EXPECT_THAT(lists[0].documents, ElementsAre(7, 8));
  EXPECT_THAT(lists[0].positions, ElementsAre(0, 1)) << "the order of rows";
  const auto judged =
      read("q,1,2\nq,2,0\n", "{header: false, columns: {query: 1, document: 2, label: 3}}").lists;
  EXPECT_THAT(judged.at(0).labels, ElementsAre(2, 0));
  EXPECT_EQ(message("7,a\n", numbers),
            ":1: data.columns.click is '3'; expected the number of a column, 1 to 2, since "
            "data.header is false");
  EXPECT_THAT(message("7,a\n", "header: false"), HasSubstr("data.columns.session is missing"));
  EXPECT_EQ(message("7,a,0\n7,a,2\n", numbers), ":2: click (column 3) is '2'; expected 0 or 1");
}

TEST(TableTest, LabelsAndPropensitiesAreReadIfNamed) {
  const std::string text = "session,document,click,label,score\na,1,0,-2,0.5\na,2,1,4,1\n";
  EXPECT_TRUE(read(text).lists[0].labels.empty());
  const RawList list = read(text, "columns: {label: label, propensity: score}").lists[0];
  EXPECT_THAT(list.labels, ElementsAre(-2, 4));
  EXPECT_THAT(list.propensities, ElementsAre(0.5f, 1.f));
}

TEST(TableTest, SignalsAreReadIfNamed) {
  const std::string text =
      "session,document,click,viewed,skip,seconds\na,1,0,1,true,\na,2,1,1,0,30.5\na,3,0,0,0,0\n";
  EXPECT_FALSE(has_any(read(text).lists[0].signals));
  const RawList list =
      read(text, "columns: {viewed: viewed, skipped: skip, dwell: seconds}").lists[0];
  EXPECT_THAT(list.signals[Signal::viewed], ElementsAre(1, 1, 0));
  EXPECT_THAT(list.signals[Signal::skipped], ElementsAre(1, 0, 0));
  EXPECT_THAT(list.signals[Signal::dwell], ElementsAre(0, 31, 0));
  const RawList some = read(text, "columns: {viewed: viewed}").lists[0];
  EXPECT_TRUE(some.signals[Signal::dwell].empty());
  EXPECT_EQ(message(text, "columns: {skipped: seconds}"),
            ":2: column 'seconds' is ''; expected 0 or 1");
  EXPECT_EQ(message("session,document,click,d\na,1,0,-1\n", "columns: {dwell: d}"),
            ":2: column 'd' is '-1'; expected a number at least 0");
}

TEST(TableTest, ATableOfLabelsHasJudgedListsByQuery) {
  const auto [lists, report] = read("query,document,label\nq,1,2\nr,1,0\nq,7,-2\n",
                                    "columns: {session: sid, click: clicked}");
  ASSERT_EQ(lists.size(), 2u);
  EXPECT_THAT(lists[0].documents, ElementsAre(1, 7));
  EXPECT_THAT(lists[0].labels, ElementsAre(2, -2));
  EXPECT_THAT(lists[0].positions, ElementsAre(0, 1));
  EXPECT_TRUE(lists[0].clicks.empty());
  EXPECT_TRUE(report.notes.empty());
  EXPECT_EQ(message("query,document,label\nq,1,-1\n"),
            ":2: column 'label' is '-1'; expected -2 (unjudged) or 0 to 31");
}

TEST(TableTest, ARowOfCountsIsAListOfClicksAndOneOfSkips) {
  const std::string counts = "query,document,position,impressions,clicks\n";
  const auto [lists, report] = read(counts + "q,1,1,3000000,2\nq,2,2,0,0\nr,1,2,1,0\n");
  ASSERT_EQ(lists.size(), 3u);
  EXPECT_EQ(report.lists, 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_THAT(lists[i].documents, ElementsAre(1));
    EXPECT_THAT(lists[i].positions, ElementsAre(i < 2 ? 0 : 1));
    EXPECT_THAT(lists[i].clicks, ElementsAre(i < 1 ? 1 : 0));
    EXPECT_EQ(lists[i].query == lists[0].query, i < 2);
  }
  EXPECT_EQ(lists[0].weight, 2);
  EXPECT_EQ(lists[1].weight, 2999998);
  EXPECT_EQ(lists[2].weight, 1);
  EXPECT_EQ(message(counts + "q,1,1,3,4\n"),
            ":2: column 'clicks' is '4'; expected a whole number from 0 to 3");
  EXPECT_THAT(message("query,document,impressions,clicks\n"), HasSubstr("no column 'position'"));
}

TEST(TableTest, ColumnsThatCountsCannotUseAreNoted) {
  const std::string text = "session,at,query,document,position,impressions,clicks\na,9,q,1,1,4,2\n";
  EXPECT_THAT(read(text, "columns: {time: at, weight: w}").report.notes,
              ElementsAre("is a table of counts (column 'impressions'), whose rows stand for "
                          "impressions of any session; not used: column 'session', column 'at'"));
  EXPECT_THAT(read("query,document,position,impressions,clicks\nq,1,1,4,2\n").report.notes,
              ElementsAre());
  const std::string more =
      "query,document,position,impressions,clicks,seen,price,height\nq,1,1,4,2,1,9,8\n";
  EXPECT_THAT(read(more, "columns: {viewed: seen, features: [price], bias_features: [height]}")
                  .report.notes,
              ElementsAre(HasSubstr("not used: column 'seen', column 'price', column 'height'")));
  EXPECT_THAT(message(more, "columns: {viewed: sen}"),
              HasSubstr(":1: has no column 'sen'; expected data.columns.viewed to be one of"));
  EXPECT_THAT(message(more, "columns: {features: [prize]}"),
              HasSubstr(":1: has no column 'prize'; expected data.columns.features to be one of"));
  EXPECT_EQ(read(more, "columns: {viewed: sen}", {.scores_only = true}).lists.size(), 2u);
}

TEST(TableTest, CountsNeedNoMemoryIfTheFirstPositionIsGiven) {
  std::string text = "query,document,position,impressions,clicks\n";
  for (int i = 0; i < 100000; ++i) text += fmt::format("q,{},1,1,0\n", i);
  EXPECT_THAT(message(text, "row_memory: 0.003"),
              HasSubstr("take more than 0.003 GB; expected fewer, or data.first_position"));
  const auto lists = read(text, "{row_memory: 0.003, first_position: 1}").lists;
  ASSERT_EQ(lists.size(), 100000u);
  EXPECT_THAT(lists.back().documents, ElementsAre(99999));
}

/// Hashes of short texts must not make one list of several.
TEST(TableTest, ShortNumbersTellListsApart) {
  constexpr int sessions = 1000, queries = 64;
  std::string text = "session,query,document,click\n";
  for (int session = 0; session < sessions; ++session)
    for (int query = 0; query < queries; ++query)
      text += fmt::format("{},{},1,0\n", session, query);
  EXPECT_EQ(read(text).lists.size(), std::size_t{sessions * queries});
}

TEST(TableTest, SessionsOfDifferentUsersAreDifferent) {
  const std::string text = "user,session,query,document,click\nu,1,q,A,0\nv,1,q,B,1\nu,1,q,C,1\n";
  EXPECT_EQ(read(text).lists.size(), 1u);
  const auto lists = read(text, "columns: {user: user}").lists;
  ASSERT_EQ(lists.size(), 2u);
  EXPECT_THAT(lists[0].clicks, ElementsAre(0, 1));
  EXPECT_THAT(lists[1].clicks, ElementsAre(1));
}

TEST(TableTest, AListStandsForAsManySessionsAsItsWeightSays) {
  const std::string text = "session,document,click,n\na,1,1,3\na,2,0,3\nb,3,0,1\nc,3,0,0.5\n";
  const auto [lists, report] = read(text, "columns: {weight: n}");
  ASSERT_EQ(lists.size(), 3u);
  EXPECT_EQ(report.lists, 3u);
  EXPECT_THAT(lists[0].documents, ElementsAre(1, 2));
  EXPECT_EQ(lists[0].weight, 3);
  EXPECT_EQ(lists[1].weight, 1);
  EXPECT_EQ(lists[2].weight, 0.5);
  EXPECT_THAT(message("session,document,click,n\na,1,1,0\n", "columns: {weight: n}"),
              HasSubstr(":2: column 'n' is '0'; expected a number"));
}

TEST(TableTest, ListsCountAsOneInReportsWhateverTheirWeights) {
  const std::string options = "columns: {weight: n}",
                    light = "session,query,document,click,n\na,q,1,1,0.1\na,q,2,0,0.1\n";
  const auto [lists, report] = read(light + "b,q,3,0,0.2\nb,q,3,1,0.2\n", options);
  EXPECT_EQ(lists.size(), 2u) << "weights that sum to less than half a session";
  EXPECT_EQ(report.lists, 2u);
  EXPECT_THAT(report.notes, ElementsAre("1 of 2 lists show a document twice, the first on line 5"));
}

TEST(TableTest, FeaturesAreReadIfNamed) {
  const std::string text = "session,document,click,height,price\na,1,0,10,-2.5\na,2,1,20,1e99\n";
  EXPECT_TRUE(read(text).lists[0].features.empty());
  const RawList list = read(text, "columns: {features: [price], bias_features: [height]}").lists[0];
  EXPECT_THAT(list.features, ElementsAre(-2.5f, 10.f, std::numeric_limits<float>::max(), 20.f));
}

TEST(TableTest, ListsToScoreNeedNeitherClicksNorSessions) {
  const ReadRules rules{.scores_only = true};
  const auto lists =
      read("query,document\nq,1\nr,2\nq,3\n", "columns: {click: clicked}", rules).lists;
  ASSERT_EQ(lists.size(), 2u);
  EXPECT_THAT(lists[0].documents, ElementsAre(1, 3));
  EXPECT_THAT(lists[0].positions, ElementsAre(0, 1));
  EXPECT_TRUE(lists[0].clicks.empty());
  EXPECT_EQ(read("session,document,position\na,1,2\nb,2,1\na,3,1\n", "", rules).lists.size(), 2u);
  EXPECT_EQ(read(header + "a,q,1,1,1\n", "", rules).lists[0].clicks.size(), 1u);
  EXPECT_EQ(message("query,document\nq,1\n"),
            ":1: has no column 'session'; expected data.columns.session to be one of 'query', "
            "'document'");
  EXPECT_THAT(message("document\n1\n", "", rules), HasSubstr("has no column 'query'"));
}

/// A configuration names the columns of its log; judged lists and lists to score may be called as
/// their fields.
TEST(TableTest, FilesWithoutClicksNeedNotHaveTheNamesOfTheLog) {
  const std::string names =
      "columns: {session: s, query: q, document: d, position: p, click: c, label: l}";
  const ReadRules scores{.scores_only = true};
  for (const ReadRules& rules : {ReadRules{}, scores}) {
    for (const char* text : {"query,document,label\nx,1,3\n", "q,d,l\nx,1,3\n"}) {
      const auto lists = read(text, names, rules).lists;
      ASSERT_EQ(lists.size(), 1u) << text;
      EXPECT_THAT(lists[0].documents, ElementsAre(1));
      EXPECT_THAT(lists[0].labels, ElementsAre(3));
    }
  }
  EXPECT_THAT(read("query,document,position\nx,1,4\n", names, scores).lists[0].positions,
              ElementsAre(3));
  EXPECT_THAT(read("q,d,p\nx,1,4\n", names, scores).lists[0].positions, ElementsAre(3));
  EXPECT_EQ(read("session,query,document\na,x,1\nb,x,1\n", names, scores).lists.size(), 2u);
  EXPECT_THAT(message("session,query,document,position,c\n", names),
              HasSubstr("has no column 's'; expected data.columns.session"))
      << "a log has the names that it is said to have";
}

TEST(TableTest, PropensitiesAreLeftOutIfSomeAreMissing) {
  const std::string text = "session,document,click,p\na,1,0,0.5\na,2,1,\nb,3,0,\n";
  const auto [lists, report] = read(text, "columns: {query: document, propensity: p}");
  for (const RawList& list : lists) EXPECT_TRUE(list.propensities.empty());
  EXPECT_THAT(report.notes,
              ElementsAre("column 'p' is empty in 2 of 3 rows, the first on line 3; it is not "
                          "used, since losses need all propensities"));
  EXPECT_EQ(message(text, "{sorted: true, first_position: 1, columns: {propensity: p}}"),
            ":3: column 'p' is empty; expected a number above 0 and at most 1, since lists are "
            "passed on before all propensities are known");
  EXPECT_EQ(message("session,document,click,p\na,1,0,0\n", "columns: {propensity: p}"),
            ":2: column 'p' is '0'; expected a number above 0 and at most 1");
}

TEST(TableTest, TheFirstPositionIsFoundOrGiven) {
  const std::string from_2 = header + "a,q,1,2,1\na,q,2,3,0\n";
  EXPECT_THAT(read(header + "a,q,1,1,0\nb,q,2,0,1\n").lists[0].positions, ElementsAre(1));
  EXPECT_THAT(read(from_2).lists[0].positions, ElementsAre(1, 2));
  EXPECT_THAT(read(from_2, "first_position: 0").lists[0].positions, ElementsAre(2, 3));
  EXPECT_EQ(message(header + "a,q,1,0,1\n", "first_position: 1"),
            ":2: column 'position' is '0'; expected a whole number from 1 to 65535");
}

TEST(TableTest, ListsComeInTheOrderOfTheirTimes) {
  const auto order = [](const std::vector<std::string>& times) {
    std::string text = "session,document,click,at\n";
    for (std::size_t i = 0; i < times.size(); ++i)
      text += fmt::format("s{},{},0,{}\n", i, i, times[i]);
    std::vector<std::uint64_t> documents;
    for (const RawList& list : read(text, "columns: {time: at}").lists)
      documents.push_back(list.documents[0]);
    return documents;
  };
  EXPECT_THAT(order({"30", "4", "5", "4"}), ElementsAre(1, 3, 2, 0));
  EXPECT_THAT(order({"2024-05-31T13:05:59Z", "2024-05-31", "2023-12-31 23:59:59.999",
                     "2024-05-31T13:05:59.001Z"}),
              ElementsAre(2, 1, 0, 3));
  EXPECT_THAT(order({"2024-05-31T13:05:59.000012Z", "2024-05-31T13:05:59.000011"}),
              ElementsAre(1, 0));
  EXPECT_THAT(order({"2024-05-01", "2024-05", "2024-04-30T23:59:60"}), ElementsAre(2, 1, 0));
}

TEST(TableTest, MalformedTimesAreRefused) {
  for (const std::string time :
       {"1 May", "", "Z", "1234567890123456789", "-1", "2024-", "2024-5-31", "2024-05-3",
        "2024-00-31", "2024-13-31", "2024-05-00", "2024-05-32", "2024-05-31T24", "2024-05-31T13:60",
        "2024-05-31T13:05:61", "2024-05-31T13:05:59.", "2024-05-31T13:05:59.12x", "2024.5"})
    EXPECT_EQ(message("session,document,click,at\na,1,0," + time + "\n", "columns: {time: at}"),
              ":2: column 'at' is '" + time +
                  "'; expected a whole number of up to 18 digits or a time such as "
                  "2024-05-31T13:05:59");
}

/// Holds out the last half of the sessions of some files.
Dataset split_by_time(const DatasetReader::Files& files, const std::string& options) {
  Dataset dataset;
  DatasetReader(table(options), {}).read_train(files, {.test = 0.5, .by = SplitBy::time}, dataset);
  return dataset;
}

TEST(TableTest, FilesThatAreSplitByTimeFollowEachOtherInTime) {
  const testing::TemporaryFolder folder;
  const std::string names = "session,document,click,at\n", time = "columns: {time: at}";
  const auto first = folder.write("first.csv", names + "a,1,0,5\nb,2,1,3\n"),
             second = folder.write("second.csv", names + "c,3,1,9\nd,4,0,5\n"),
             early = folder.write("early.csv", names + "e,5,0,4\nf,6,0,9\n");
  const Dataset split = split_by_time({first, second}, time);
  ASSERT_EQ(split.train.sessions(), 2u);
  EXPECT_THAT(split.train[0].clicks, ElementsAre(1)) << "at 3";
  ASSERT_EQ(split.test.sessions(), 2u);
  EXPECT_THAT(split.test[1].clicks, ElementsAre(1)) << "at 9";
  EXPECT_EQ(testing::data_message([&] {
              split_by_time({first, early}, time);
            }),
            early.string() + ": begins before " + first.string() +
                " ends, by data.columns.time; expected files in the order of time, since "
                "data.split.by is 'time'");
  EXPECT_EQ(split_by_time({first, early}, "").test.sessions(), 2u) << "in the order of the files";
}

TEST(TableTest, CountsAreNotSplitByTime) {
  const testing::TemporaryFolder folder;
  const auto file =
      folder.write("counts.csv", "query,document,position,impressions,clicks\nq,1,1,4,2\n");
  EXPECT_EQ(testing::data_message([&] { split_by_time({file}, ""); }),
            file.string() +
                ": is a table of counts (column 'impressions'), which have no time; "
                "expected data.split.by to be session or query");
}

TEST(TableTest, RejectsColumnsThatAreNotThereWithTheNearestName) {
  EXPECT_EQ(message("session_id,query,document,click\n"),
            ":1: has no column 'session'; expected data.columns.session to be one of "
            "'session_id', 'query', 'document', 'click' (did you mean 'session_id'?)");
  EXPECT_EQ(message(header, "columns: {query: qurey}"),
            ":1: has no column 'qurey'; expected data.columns.query to be one of 'session', "
            "'query', 'document', 'position', 'click' (did you mean 'query'?)");
  EXPECT_EQ(message("\xff\xfes\n"), ":1: is UTF-16; expected UTF-8");
}

TEST(TableTest, ColumnsThatAreUsedHaveNamesOfTheirOwn) {
  const std::string text = "session,query,document,click,price,price\na,q,1,0,2,3\n";
  EXPECT_EQ(read(text).lists.size(), 1u) << "nobody uses a price";
  EXPECT_EQ(message(text, "columns: {features: [price]}"),
            ":1: has several columns 'price'; expected one of each name that is used");
  EXPECT_EQ(message("session,query,document,click,click\na,q,1,0,1\n"),
            ":1: has several columns 'click'; expected one of each name that is used");
}

TEST(TableTest, AnotherDelimiterIsNamed) {
  EXPECT_EQ(
      message("session;query;document;click\na;q;d;1\n"),
      ":1: has one column, 'session;query;document;click'; expected data.delimiter to be ';'");
  EXPECT_EQ(message(header, "delimiter: tab"),
            ":1: has one column, 'session,query,document,position,click'; expected data.delimiter "
            "to be ','");
  EXPECT_THAT(message("session\tdocument\tclick\n"), HasSubstr("data.delimiter to be 'tab'"));
  EXPECT_THAT(message("session\n"), HasSubstr("has no column"));
}

TEST(TableTest, RejectsMalformedRows) {
  const auto row = [](const std::string& text) { return message(header + text + "\n"); };
  EXPECT_EQ(row("a,q,1,1"), ":2: 4 columns; expected 5 as in the header");
  EXPECT_EQ(row("a,q,1,first,0"),
            ":2: column 'position' is 'first'; expected a whole number from 0 to 65535");
  EXPECT_EQ(row("a,q,1,,0"),
            ":2: column 'position' is ''; expected a whole number from 0 to 65535");
  EXPECT_EQ(row("a,q,1,1,"), ":2: column 'click' is ''; expected 0 or 1");
  EXPECT_EQ(row("a,q,1,1,yes"), ":2: column 'click' is 'yes'; expected 0 or 1");
  EXPECT_EQ(row("a,q,,1,0"), ":2: column 'document' is empty; expected an id");
  EXPECT_EQ(row("a,\"q,1,1,0"),
            ":2: the quote of field 2 is not closed within 1 line; expected '\"' at its end");
  EXPECT_THAT(row("a,q,1,1,0\nb,q,1,1,0\na,q,2,1,0"),
              StartsWith(":4: position 1 of its list is also on line 2; expected one document"));
  EXPECT_THAT(row("a,q,1,1,0\na,q,2,11,0"),
              StartsWith(":3: the list shows a document at position 11"));
  EXPECT_EQ(message(header), ": has no list; expected a header and at least one row");
}

TEST(TableTest, SkippedRowsAreCountedByKindAndLeaveGaps) {
  const auto [lists, report] =
      read("session,document,click\na,1,0\na,2,2\na,3,1\nb,4\nb,,0\nb,5,no\n", "",
           {.skip_malformed = true});
  ASSERT_EQ(lists.size(), 1u);
  EXPECT_THAT(lists[0].documents, ElementsAre(1, 3));
  EXPECT_THAT(lists[0].positions, ElementsAre(0, 2));
  EXPECT_EQ(report.malformed, 4u);
  EXPECT_THAT(report.first_malformed, HasSubstr(":3: column 'click' is '2'; expected 0 or 1"));
  EXPECT_EQ(report.notes[0],
            "left out: 2 for column 'click', 1 for column 'document', 1 for number of columns");
}

TEST(TableTest, LongListsAreCut) {
  const auto [lists, report] = read(header + "a,q,1,1,0\na,q,2,3,1\nb,q,1,1,1\n", "",
                                    {.max_positions = 2, .truncate = true});
  EXPECT_THAT(lists[0].documents, ElementsAre(1));
  EXPECT_EQ(report.truncated, 1u);
}

TEST(TableTest, NotesWhatALogShouldNotHave) {
  const auto notes = [](const std::string& rows, const std::string& options = "") {
    return read(header + rows, options).report.notes;
  };
  EXPECT_THAT(notes("a,q,1,1,0\na,q,2,2,1\n"), ElementsAre());
  EXPECT_THAT(notes("a,q,1,1,0\na,q,2,2,1\na,q,1,3,0\nb,q,1,1,0\n"),
              ElementsAre("1 of 2 lists show a document twice, the first on line 4"));
  EXPECT_THAT(notes("a,q,1,2,0\na,q,2,3,1\n"),
              ElementsAre("no list shows a document at position 1; expected positions that start "
                          "there (data.first_position)"));
  EXPECT_THAT(notes("a,q,1,1,0\n"),
              ElementsAre("no document is clicked; expected clicks to learn from"));
  EXPECT_THAT(notes("a,q,1,1,1\n"), ElementsAre(StartsWith("every document is clicked; expected")));
  EXPECT_THAT(read("session,document,click\na,1,0\na,2,1\n").report.notes,
              ElementsAre("has no column 'query' (data.columns.query); all lists have the same "
                          "query"));
}

/// A table of lists of two documents, whose rows follow each other.
std::string many_lists(int lists) {
  std::string text = header;
  for (int i = 0; i < lists; ++i)
    text += fmt::format("s{0},q{1},d{0},1,1\ns{0},q{1},e{0},2,0\n", i, i % 7);
  return text;
}

TEST(TableTest, SortedRowsNeedNoMemoryAndGiveTheSameLists) {
  const std::string text = many_lists(50000);
  const auto all = read(text), sorted = read(text, "{sorted: true, first_position: 1}");
  ASSERT_EQ(all.lists.size(), 50000u);
  ASSERT_EQ(sorted.lists.size(), all.lists.size());
  for (std::size_t i = 0; i < all.lists.size(); ++i) {
    EXPECT_EQ(sorted.lists[i].query, all.lists[i].query);
    EXPECT_EQ(sorted.lists[i].documents, all.lists[i].documents);
    EXPECT_EQ(sorted.lists[i].positions, all.lists[i].positions);
  }
  EXPECT_EQ(message(text, "row_memory: 0.001"),
            ":32769: the rows so far take more than 0.001 GB; expected fewer, or rows sorted by "
            "list (sort -s -t ',' -k 1,1) and data.sorted: true");
  EXPECT_THAT(message(text, "row_memory: 0.0026"), HasSubstr("the rows so far take more than"));
  EXPECT_EQ(read(text, "{sorted: true, first_position: 1, row_memory: 0.0026}").lists.size(),
            50000u);
}

/// Returns the names as a file has them.
std::string saved(const IdNames& names) {
  const testing::TemporaryFolder folder;
  names.save(folder.path());
  return testing::read_text(folder.path() / IdNames::file_name);
}

/// Returns a quoted cell.
std::string quoted_cell(const std::string& text) {
  std::string cell = "\"";
  for (const char c : text) cell += c == '"' ? "\"\"" : std::string(1, c);
  return cell + '"';
}

/// A table of megabytes whose records have up to 60 lines, so that most parts of its text end
/// within one.
struct LongTable {
  std::string text = header;
  std::vector<std::string> documents;  // two per list
  std::vector<std::string> malformed;  // messages about three rows

  /// `line`: what each further line of a document has.
  explicit LongTable(const std::function<std::string(int row)>& line) {
    std::uint64_t lines = 1;
    for (int i = 0; i < 3000; ++i) {
      std::string document = i % 60 == 0 ? fmt::format("plain {}", i) : fmt::format("\"{}\"", i);
      for (int k = 0; k < i % 60; ++k) document += '\n' + line(i);
      text += fmt::format("s{0},q{1},{2},{3},{4}\n", i / 2, i / 2 % 7, quoted_cell(document),
                          i % 2 + 1, i / 2 % 2);
      documents.push_back(document);
      lines += 1 + static_cast<std::uint64_t>(i % 60);
      if (i % 1000 != 999) continue;
      malformed.push_back(fmt::format(":{}: column 'click' is '2'; expected 0 or 1", ++lines));
      text += "s,q,d,1,2\n";
    }
  }
};

TEST(TableTest, LongTablesHaveTheSameListsWhereverTheirPartsEnd) {
  const auto letters = [](int row) { return std::string(50, static_cast<char>('a' + row % 26)); };
  const auto like_a_row = [](int) { return "no session,no query,no document,1,0"; };
  for (const LongTable& table : {LongTable(letters), LongTable(like_a_row)}) {
    ASSERT_GT(table.text.size(), std::size_t{1} << 21);
    IdNames names;
    const auto [lists, report] = read(table.text, "", {.skip_malformed = true, .names = &names});
    ASSERT_EQ(lists.size(), 1500u);
    for (std::size_t i = 0; i < lists.size(); ++i) {
      ASSERT_EQ(lists[i].documents.size(), 2u);
      for (std::size_t k = 0; k < 2; ++k)
        EXPECT_EQ(names.text(lists[i].documents[k]), table.documents[2 * i + k]);
      EXPECT_EQ(names.text(lists[i].query), fmt::format("q{}", i % 7));
      EXPECT_THAT(lists[i].clicks, ElementsAre(i % 2, i % 2));
    }
    EXPECT_EQ(report.malformed, 3u);
    EXPECT_EQ(report.lines, 3004u);
    EXPECT_THAT(report.first_malformed, ::testing::EndsWith(table.malformed[0]));
  }
}

TEST(TableTest, RowsMayHaveNamesThatLinesInQuotesHadBefore) {
  const auto like_a_row = [](int row) { return fmt::format("s,q,document {},1,0", row); };
  std::string text = LongTable(like_a_row).text;
  const std::string longer(100, '-');
  for (int row = 0; row < 6000; ++row)
    text += fmt::format("{1}{0},q{1},document {0},1,0\n", row, longer);
  IdNames names;
  const auto lists = read(text, "", {.skip_malformed = true, .names = &names}).lists;
  ASSERT_EQ(lists.size(), 7500u);
  for (std::size_t row = 0; row < 6000; ++row)
    EXPECT_EQ(names.text(lists[1500 + row].documents[0]), fmt::format("document {}", row));
}

TEST(TableTest, ErrorsOfALongTableNameTheirLines) {
  LongTable table([](int) { return "some words of a long document"; });
  std::string& text = table.text;
  const std::size_t last = text.rfind("s,q,d,1,2\n");
  EXPECT_EQ(message(text), table.malformed[0]);
  for (int i = 0; i < 2; ++i) text.replace(text.find("s,q,d,1,2"), 9, "s,q,d,1,1");
  EXPECT_EQ(message(text), table.malformed[2]);
  text.replace(last, 9, "s,t,\"d,1,1");
  EXPECT_THAT(message(text), HasSubstr("the quote of field 3 is not closed within 1 line"));
}

TEST(TableTest, NamesOfALongTableAreInTheirOrder) {
  std::string text = header;
  IdNames expected, names;
  for (int i = 0; i < 100'000; ++i) {
    const std::string query = fmt::format("query {}", i / 10 % 700),
                      document = fmt::format("product {}", i * 7919 % 20011);
    text += fmt::format("s{},{},{},{},0\n", i / 10, query, document, i % 10 + 1);
    expected.add(query);
    expected.add(document);
  }
  for (const std::string& document : LongTable([](int) { return "a line"; }).documents) {
    text += "t,query," + quoted_cell(document) + ",1,0\n";
    expected.add("query");
    expected.add(document);
  }
  EXPECT_EQ(read(text, "", {.skip_malformed = true, .names = &names}).lists.size(), 10'000u);
  ASSERT_EQ(names.size(), expected.size());
  EXPECT_EQ(saved(names), saved(expected));
}

TEST(TableTest, WithoutPositionsAListHasAsManyRowsAsPositions) {
  std::string text = "session,document,click\n";
  for (int i = 0; i < 65535; ++i) text += fmt::format("s,{},0\n", i);
  const ReadRules rules{.max_positions = 65536};
  EXPECT_EQ(read(text, "", rules).lists[0].positions.back(), 65534);
  EXPECT_EQ(message(text + "t,1,1\ns,2,1\n", "", rules),
            ":65538: row 65536 of its list; expected at most 65535");
  const auto [lists, report] =
      read(text + "s,1,1\ns,2,1\nt,1,1\n", "", {.max_positions = 65536, .skip_malformed = true});
  EXPECT_EQ(lists.size(), 2u);
  EXPECT_EQ(lists[0].positions.size(), 65535u);
  EXPECT_EQ(report.malformed, 2u);
}

TEST(TableTest, ATornFileIsRefusedAfterItsRows) {
  const testing::TemporaryFolder folder;
  const std::string packed = testing::gzip(many_lists(100'000));
  const auto refused = [&](const std::string& bytes) {
    const auto file = folder.write("torn.csv.gz", bytes);
    return testing::data_message([&] { testing::read_lists(table(), file); });
  };
  EXPECT_THAT(refused(packed.substr(0, packed.size() / 2)),
              ::testing::MatchesRegex(".*torn.csv.gz:[0-9]+: cannot be read further .its end is "
                                      "missing.; expected a whole file"));
}

TEST(TableTest, OptionsThatContradictEachOtherAreRefused) {
  EXPECT_THAT(
      testing::config_message([] { table("columns: {features: [a, b], bias_features: [a]}"); }),
      StartsWith("columns.features and columns.bias_features have 'a' twice"));
  EXPECT_THAT(testing::config_message([] { table("columns: {bias_features: [a]}"); }),
              StartsWith("columns.bias_features is given without columns.features"));
  EXPECT_THAT(testing::config_message([] { table("delimiter: ab"); }),
              StartsWith("data.delimiter is 'ab'"));
  EXPECT_THAT(testing::config_message([] { table("sorted: true"); }),
              StartsWith("data.sorted is true and data.first_position is 'found'"));
  EXPECT_THAT(testing::config_message(
                  [] { table("{sorted: true, first_position: 1, columns: {time: at}}"); }),
              StartsWith("data.sorted is true and data.columns.time is given"));
}

}  // namespace
}  // namespace ultr::table_test
