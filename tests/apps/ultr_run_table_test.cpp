#include <fstream>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/run_fixture.h"
#include "data/log/id_names.h"
#include "data/tables/table_records.h"

/// A CSV log with names: from training to everything that is written by name.
namespace ultr::ultr_run_table_test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using testing::Finished;
using ::testing::HasSubstr;
using testing::read_text;
using ::testing::SizeIs;
using ::testing::StartsWith;

/// The rows of a CSV file without its header.
std::vector<std::vector<std::string>> rows_of(const std::filesystem::path& file) {
  TableRecords records(file, ',');
  std::vector<std::vector<std::string>> rows;
  while (records.next()) rows.emplace_back(records.fields().begin(), records.fields().end());
  if (!rows.empty()) rows.erase(rows.begin());
  return rows;
}

class UltrRunTableTest : public testing::UltrRun {
 protected:
  UltrRunTableTest() {
    std::string log = "\xef\xbb\xbfsid,term,sku,rank,clicked\r\n";
    for (int i = 0; i < 40; ++i) {
      const std::string session = "s" + std::to_string(i);
      log += session + ",\"shoes, red\",Schuh \"rot\",1," + (i % 2 == 0 ? "1" : "0") + "\r\n";
      log += session + ",\"shoes, red\",\"b\"\"2\"\"\",2,0\r\n";
      log += session + "h,帽子,17,1," + (i % 4 == 0 ? "1" : "0") + "\r\n";
    }
    folder_.write("clicks.csv", log);
    folder_.write("shop.yaml",
                  "data:\n"
                  "  format: table\n"
                  "  train: clicks.csv\n"
                  "  columns: {session: sid, query: term, document: sku, position: rank, click: "
                  "clicked}\n"
                  "  split: {test: 0.25, by: time}\n"
                  "model: pbm\n"
                  "train: {epochs: 2}\n");
  }
  Finished train(const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments = {"shop.yaml", "output=run", "report.enabled=false"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Finished finished = run(arguments);
    EXPECT_EQ(finished.exit_code, 0) << finished.errors;
    return finished;
  }
};

TEST_F(UltrRunTableTest, APipeOfTheShellIsReadAsAFile) {
  const std::string columns =
      "columns={session: sid, query: term, document: sku, position: rank, click: clicked}";
  run_well({"convert", "table", "clicks.csv", "--set", columns, "--output", "whole"});
  const Finished finished = testing::run_program(
      "/bin/bash",
      {"-c", "exec \"$0\" convert table <(cat clicks.csv) --set \"$1\" --output piped", ULTR_RUN,
       columns},
      folder_.path());
  EXPECT_EQ(finished.exit_code, 0) << finished.errors;
  for (const auto& entry : std::filesystem::directory_iterator(path("whole")))
    EXPECT_EQ(read_text(entry.path()), read_text(path("piped") / entry.path().filename()))
        << entry.path();
}

TEST_F(UltrRunTableTest, RelevanceIsWrittenByName) {
  train();
  EXPECT_THAT(run_well({"relevance", "run", "--output", "relevance.csv"}),
              StartsWith("relevance.csv: 3 query-document pairs\n"));
  const auto rows = rows_of(path("relevance.csv"));
  ASSERT_THAT(rows, SizeIs(3));
  EXPECT_THAT(
      read_text(path("relevance.csv")),
      StartsWith("query,document,relevance,lower,upper,impressions,clicks,mean_position\n"));
  EXPECT_EQ(rows[0][0], "shoes, red");
  EXPECT_EQ(rows[0][1], "Schuh \"rot\"");
  EXPECT_THAT(std::vector(rows[0].begin() + 5, rows[0].end()), ElementsAre("30", "15", "1"));
  EXPECT_EQ(rows[1][1], "b\"2\"");
  EXPECT_THAT(std::vector(rows[1].begin() + 5, rows[1].end()), ElementsAre("30", "0", "2"));
  EXPECT_EQ(rows[2][0], "帽子");
  EXPECT_EQ(rows[2][1], "17");
  EXPECT_GT(std::stod(rows[0][2]), std::stod(rows[1][2]));
  for (const auto& row : rows) {
    EXPECT_GT(std::stod(row[2]), 0);
    EXPECT_LT(std::stod(row[2]), 1);
  }
}

TEST_F(UltrRunTableTest, RelevanceNeedsTheTrainingDataAndAModelOfPairs) {
  train();
  expect_error({"relevance", "run"}, 2, "--output");
  std::string log = read_text(path("clicks.csv"));
  log.insert(log.find('\n') + 1, "z,new,new,1,0\r\n");
  folder_.write("clicks.csv", log);
  expect_error({"relevance", "run", "--output", "relevance.csv"}, 3,
               "run: its training data show other query-document pairs than when it was trained");
  run_well({"shop.yaml", "model=rctr", "output=ranks", "report.enabled=false"});
  expect_error({"relevance", "ranks", "--output", "relevance.csv"}, 3,
               "ranks: the model does not tell single query-document pairs apart");
}

TEST_F(UltrRunTableTest, PredictionsAndResultsPerQueryAreWrittenByName) {
  train();
  folder_.write("new.csv",
                "sid,term,sku,rank,clicked\nx,neu,\"never, seen\",1,0\nx2,帽子,17,1,1\n");
  run_well({"predict", "run", "--data", "new.csv", "--output", "predicted.csv"});
  const auto predicted = rows_of(path("predicted.csv"));
  ASSERT_THAT(predicted, SizeIs(2));
  EXPECT_THAT(std::vector(predicted[0].begin(), predicted[0].begin() + 4),
              ElementsAre("1", "neu", "1", "never, seen"));
  EXPECT_THAT(std::vector(predicted[1].begin(), predicted[1].begin() + 4),
              ElementsAre("2", "帽子", "1", "17"));
  run_well({"evaluate", "run", "--data", "new.csv", "--output", "evaluated.csv"});
  EXPECT_EQ(rows_of(path("evaluated.csv"))[1][1], "帽子");
  std::vector<std::string> queries;
  for (const auto& row : rows_of(path("run") / "test_queries.csv")) queries.push_back(row[0]);
  EXPECT_THAT(queries, ::testing::UnorderedElementsAre("shoes, red", "帽子"));
  run_well({"shop.yaml", "output=other", "report.enabled=false", "model=dctr"});
  EXPECT_THAT(run_well({"compare", "run", "other"}), HasSubstr("2 queries"));
}

TEST_F(UltrRunTableTest, ColumnsKeepTheNames) {
  train();
  run_well({"convert", "table", "clicks.csv", "--output", "columns", "--set", "columns.session=sid",
            "--set", "columns.query=term", "--set", "columns.document=sku", "--set",
            "columns.position=rank", "--set", "columns.click=clicked"});
  EXPECT_EQ(IdNames::load(path("columns")).size(), 4u);
  folder_.write("columns.yaml",
                "data: {format: columns, train: columns, split: {test: 0.25, by: time}}\n"
                "model: pbm\ntrain: {epochs: 2}\n");
  run_well({"columns.yaml", "output=of_columns", "report.enabled=false"});
  run_well({"relevance", "run", "--output", "a.csv"});
  run_well({"relevance", "of_columns", "--output", "b.csv"});
  EXPECT_EQ(read_text(path("a.csv")), read_text(path("b.csv")));
  run_well({"columns.yaml", "output=mapped", "report.enabled=false", "data.split.test=0"});
  run_well({"relevance", "mapped", "--output", "c.csv"});
  EXPECT_EQ(rows_of(path("c.csv"))[0][1], "Schuh \"rot\"");
}

TEST_F(UltrRunTableTest, SimulatedTablesAreReadBack) {
  folder_.write("made.yaml",
                "data: {format: simulation, sessions: 300, valid_sessions: 20, test_sessions: 0, "
                "queries: 8, candidates: 7, positions: 5}\nmodel: pbm\ntrain: {epochs: 1}\n");
  run_well({"simulate", "made.yaml", "--format", "table", "--output", "made"});
  EXPECT_THAT(read_text(path("made") / "train.csv"),
              StartsWith("session,query,document,position,click\ns1,q"));
  EXPECT_THAT(rows_of(path("made") / "train.csv"), SizeIs(1500));
  EXPECT_THAT(rows_of(path("made") / "valid.csv"), SizeIs(100));
  folder_.write("read.yaml",
                "data: {format: table, train: made/train.csv, valid: made/valid.csv}\n"
                "model: pbm\ntrain: {epochs: 1}\n");
  const Finished made = run({"made.yaml", "output=a"}), read = run({"read.yaml", "output=b"});
  EXPECT_THAT(read.errors, HasSubstr("300 training, 20 validation, 0 test sessions"));
  EXPECT_EQ(made.exit_code + read.exit_code, 0) << made.errors << read.errors;
}

TEST_F(UltrRunTableTest, MistakesAreNamedWithTheirPlace) {
  expect_error({"shop.yaml", "data.columns.click=cliked"}, 3,
               "clicks.csv:1: has no column 'cliked'; expected data.columns.click to be one of "
               "'sid', 'term', 'sku', 'rank', 'clicked' (did you mean 'clicked'?)");
  std::ofstream(path("clicks.csv"), std::ios::app) << "z,q,d,1,yes\n";
  expect_error({"shop.yaml"}, 3, "clicks.csv:122: column 'clicked' is 'yes'; expected 0 or 1");
  const Finished skipped = train({"data.on_error=skip"});
  EXPECT_THAT(skipped.errors + skipped.output, HasSubstr("1 of 122 lines were left out"));
}

}  // namespace
}  // namespace ultr::ultr_run_table_test
