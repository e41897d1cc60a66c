#include "runs/test_queries.h"

#include <cmath>

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/errors.h"
#include "testing/run_folders.h"

namespace ultr::test_queries_test {
namespace {

using testing::data_message;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::RunFolders;

void add_session(SessionLog& log, std::uint64_t query, const std::vector<std::uint8_t>& clicks) {
  std::vector<std::uint32_t> rows(clicks.size(), 1);
  std::vector<std::uint16_t> positions;
  for (std::size_t k = 0; k < clicks.size(); ++k)
    positions.push_back(static_cast<std::uint16_t>(k));
  log.add({rows, positions, clicks, query});
}

std::vector<double> values_of(const QueryValues& values) {
  std::vector<double> all;
  for (const QueryValue& query : values.queries) all.push_back(query.value);
  return all;
}

TEST(TestQueriesTest, ClicksAreSummedByQuery) {
  SessionLog log;
  add_session(log, 900, {1, 0});
  add_session(log, 7, {0});
  add_session(log, 900, {1, 1, 0, 0});
  const std::vector<SessionLikelihood> each = {{-1, -2}, {-0.5, -0.25}, {-2, -3}};
  EXPECT_EQ(query_clicks_csv(log, each),
            "query,sessions,documents,clicks,ll,unconditional_ll\n"
            "7,1,1,0,-0.5,-0.25\n"
            "900,2,6,3," +
                fmt::format("{},{}\n", (-1. - 2) / 6, (-2. - 3) / 6));
}

TEST(TestQueriesTest, RankingsHaveOneRowPerListOrderedByQuery) {
  JudgedLists lists;
  RankingMetrics metrics({.cutoffs = {1}, .without_relevant = WithoutRelevant::skip});
  const auto add = [&](std::uint64_t query, std::vector<int> labels) {
    const std::vector<std::uint32_t> rows(labels.size(), 1);
    lists.add(rows, labels, query);
    std::vector<double> scores;
    for (std::size_t i = 0; i < labels.size(); ++i) scores.push_back(-static_cast<double>(i));
    metrics.add(scores, labels);
  };
  add(5, {0, 1});   // the relevant document is at rank 2
  add(2, {1, 0});   // at rank 1
  add(5, {0, -2});  // no relevant document: does not count
  EXPECT_EQ(query_rankings_csv(lists, metrics),
            "query,documents,relevant,dcg@1,ndcg@1,mrr@1,map@1,precision@1,arp\n"
            "2,2,1,1,1,1,1,1,1\n"
            "5,2,1,0,0,0,0,0,2\n"
            "5,2,0,,,,,,\n");
}

TEST(TestQueriesTest, ReadsTheColumnThatBelongsToAMetric) {
  const RunFolders folders;
  const auto run = folders.add("run", "seed: 1");
  folders.write("run/test_queries.csv",
                "query,sessions,documents,clicks,ll,unconditional_ll\n3,1,10,2,-0.5,-0.75\n"
                "18446744073709551615,2,20,0,-0.25,-inf\n");
  for (const char* metric : {"test.ll", "test.cond_ppl"}) {
    const auto values = read_query_values(run, metric);
    ASSERT_TRUE(values) << metric;
    EXPECT_EQ(values->name, "ll");
    EXPECT_THAT(values_of(*values), ElementsAre(-0.5, -0.25));
    EXPECT_EQ(values->queries[1].query, 18446744073709551615u);
    EXPECT_THAT(values->queries[1].data, ElementsAre(2, 20, 0));
  }
  EXPECT_THAT(values_of(*read_query_values(run, "test.ppl")), ElementsAre(-0.75, -HUGE_VAL));
  for (const char* metric : {"valid.ll", "test.loss", "seconds", "test.ranking.ndcg@10"})
    EXPECT_FALSE(read_query_values(run, metric)) << metric;
}

TEST(TestQueriesTest, WeightsNeedNotBeWhole) {
  SessionLog log;
  const std::vector<std::uint32_t> rows = {1, 2};
  const std::vector<std::uint16_t> positions = {0, 1};
  const std::vector<std::uint8_t> clicks = {1, 0};
  for (const double weight : {57.5, 0.25})
    log.add({.rows = rows, .positions = positions, .clicks = clicks, .query = 3, .weight = weight});
  const std::string csv = query_clicks_csv(log, std::vector<SessionLikelihood>{{-1, -2}, {-1, -2}});
  EXPECT_EQ(csv,
            "query,sessions,documents,clicks,ll,unconditional_ll\n3,57.75,115.5,57.75,-0.5,-1\n");
  const RunFolders folders;
  const auto run = folders.add("run", "seed: 1");
  folders.write("run/test_queries.csv", csv);
  const auto values = read_query_values(run, "test.ll");
  ASSERT_TRUE(values);
  EXPECT_THAT(values->queries.at(0).data, ElementsAre(57.75, 115.5, 57.75));
  QueryValues other = *values;
  expect_same_queries(*values, "a", other, "b");
  other.queries[0].data[2] = 57.5;
  EXPECT_THAT(data_message([&] { expect_same_queries(*values, "a", other, "b"); }),
              HasSubstr("query 3 with 57.75 sessions, 115.5 documents, 57.75 clicks and with 57.75 "
                        "sessions, 115.5 documents, 57.5 clicks"));
}

TEST(TestQueriesTest, AveragesTheListsOfAQueryThatCount) {
  const RunFolders folders;
  const auto run = folders.add("run", "seed: 1");
  folders.write("run/test_rankings.csv",
                "query,documents,relevant,ndcg@1,arp\n1,10,2,0.5,3\n1,9,0,,\n1,8,1,1,2\n4,7,0,,\n"
                "5,6,3,0.25,1\n");
  const auto values = read_query_values(run, "test.ranking.ndcg@1");
  EXPECT_THAT(values_of(*values), ElementsAre((0.5 + 1) / 2, ::testing::IsNan(), 0.25));
  EXPECT_THAT(values->data, ElementsAre(::testing::StrEq("lists"), ::testing::StrEq("documents"),
                                        ::testing::StrEq("relevant")));
  EXPECT_THAT(values->queries[0].data, ElementsAre(3, 10 + 9 + 8, 2 + 0 + 1));
  EXPECT_FALSE(read_query_values(run, "test.ranking.ndcg@3"));
}

TEST(TestQueriesTest, RefusesDamagedFiles) {
  const RunFolders folders;
  const auto run = folders.add("run", "seed: 1");
  const std::string file = (run / "test_queries.csv").string();
  const auto message = [&](const std::string& text) {
    folders.write("run/test_queries.csv", text);
    return data_message([&] { read_query_values(run, "test.ll"); });
  };
  const std::string header = "query,sessions,documents,clicks,ll\n";
  EXPECT_EQ(message(""), file + ": the header starts with ''; expected query");
  EXPECT_EQ(message("a,b\n"), file + ": the header starts with 'a'; expected query");
  EXPECT_EQ(message(header + "1,1,1,1\n"), file + ":2: 4 cells; expected 5");
  EXPECT_EQ(message(header + "1,1,1,1,-1\n2,1,1,1,x\n"), file + ":3: found 'x'; expected a number");
  for (const std::string amount : {"-1", "nan", "inf"})
    EXPECT_EQ(message(header + "1," + amount + ",1,1,-1\n"),
              file + ":2: found '" + amount + "'; expected a finite number, at least 0");
  EXPECT_EQ(
      message(header + "\"1,1,1,1,-1\n"),
      file + ":2: the quote of field 1 is not closed within 1 line; expected '\"' at its end");
  EXPECT_EQ(message(header + "2,1,1,1,-1\n1,1,1,1,-1\n"),
            file + ":3: query 1 comes after 2; expected ascending ids");
}

TEST(TestQueriesTest, SameQueriesHaveTheSameNumbers) {
  const QueryValues base{
      "ll",
      {"sessions", "documents", "clicks"},
      {{.query = 1, .data = {2, 20, 3}, .value = 0.5}, {.query = 4, .data = {1, 9, 0}}}};
  QueryValues other = base;
  other.queries[0].value = 7;
  expect_same_queries(base, "a", other, "b");
  const auto message = [&] {
    return data_message([&] { expect_same_queries(base, "a", other, "b"); });
  };
  other.queries[1].data[2] = 1;
  EXPECT_EQ(
      message(),
      "runs a and b were tested on different data: query 4 with 1 sessions, 9 documents, 0 "
      "clicks and with 1 sessions, 9 documents, 1 clicks; expected the same test data, or two "
      "seeds in common, to pair them");
  other.queries[1].query = 5;
  EXPECT_THAT(message(), HasSubstr("query 4 and query 5"));
  other.queries.pop_back();
  EXPECT_THAT(message(), HasSubstr("2 and 1 queries"));
}

}  // namespace
}  // namespace ultr::test_queries_test
