#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/run_fixture.h"
#include "data/tables/table_records.h"

/// Labels for rankers, from a log with names to files.
namespace ultr::ultr_run_labels_test {
namespace {

using ::testing::ElementsAre;
using testing::Finished;
using ::testing::HasSubstr;
using testing::read_text;
using ::testing::SizeIs;
using ::testing::StartsWith;

std::vector<std::vector<std::string>> rows_of(const std::filesystem::path& file) {
  TableRecords records(file, ',');
  std::vector<std::vector<std::string>> rows;
  while (records.next()) rows.emplace_back(records.fields().begin(), records.fields().end());
  return rows;
}

/// Two queries with three products each, clicked in 3, 2 and 1 of 6 sessions; one is rare.
class UltrRunLabelsTest : public testing::UltrRun {
 protected:
  UltrRunLabelsTest() {
    std::string log = "session,query,product,position,click\n";
    const auto add = [&](int session, const std::string& query, const std::string& product,
                         int position, bool click) {
      log += "s" + std::to_string(session) + "," + query + ",\"" + product + "\"," +
             std::to_string(position) + "," + (click ? "1\n" : "0\n");
    };
    for (int i = 0; i < 24; ++i)
      for (const std::string query : {"rot", "blau"}) {
        add(i, query, "Schuh, " + query, 1, i % 6 < 3);
        add(i, query, "Hose", 2, i % 6 < 2);
        add(i, query, "Mütze", 3, i % 6 < 1);
        if (i < 4) add(i, query, "rar", 4, true);
      }
    folder_.write("clicks.csv", log);
    folder_.write("shop.yaml",
                  "data: {format: table, train: clicks.csv, columns: {document: product}}\n"
                  "model: dctr\noptimizer: em\ntrain: {epochs: 3}\nreport: {enabled: false}\n");
    folder_.write("products.csv",
                  "\xef\xbb\xbfproduct,price,sold\n\"Schuh, rot\",10,5\n\"Schuh, blau\",11,\n"
                  "Hose,20,3\nMütze,30,1\nNeu,40,0\n");
    folder_.write("judged.csv",
                  "query,product,label\ngelb,Neu,3\ngelb,Hose,0\ngelb,Mütze,-2\ngelb,fremd,1\n");
    run_well({"shop.yaml", "output=run"});
  }
  Finished labels(const std::vector<std::string>& more) const {
    std::vector<std::string> arguments = {
        "labels",     "run",          "--output",          "labels",
        "--features", "products.csv", "--document-column", "product"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  }
};

TEST_F(UltrRunLabelsTest, WritesGradesWithFeaturesByName) {
  const Finished finished = labels({"--grades", "3", "--judged", "judged.csv"});
  EXPECT_EQ(finished.exit_code, 0) << finished.errors;
  EXPECT_EQ(finished.output,
            "labels: 6 documents of 2 queries; labels 0: 4, 1: 2\n"
            "labels: judged: 2 documents of 1 queries; labels 0: 1, 3: 1\n");
  EXPECT_THAT(finished.errors,
              HasSubstr("2 of 8 documents are left out: they have fewer than 10 impressions"));
  EXPECT_THAT(finished.errors,
              HasSubstr("judged.csv: 1 documents are left out: products.csv does not have them"));
  EXPECT_THAT(read_text(path("labels") / "labels.svm"),
              StartsWith("1 qid:1 1:10 2:5\n0 qid:1 1:20 2:3\n0 qid:1 1:30 2:1\n1 qid:2 1:11\n"));
  const auto rows = rows_of(path("labels") / "labels.csv");
  ASSERT_THAT(rows, SizeIs(7));
  EXPECT_THAT(rows[0], ElementsAre("query", "document", "label", "weight", "relevance",
                                   "impressions", "clicks", "mean_position"));
  EXPECT_EQ(rows[1][1], "Schuh, rot");
  EXPECT_NEAR(std::stod(rows[1][4]), 0.5, 0.01);
  EXPECT_THAT(std::vector(rows[1].begin() + 5, rows[1].end()), ElementsAre("24", "12", "1"));
  EXPECT_EQ(read_text(path("labels") / "judged.svm"), "3 qid:1 1:40 2:0\n0 qid:1 1:20 2:3\n");
  EXPECT_EQ(read_text(path("labels") / "judged.csv"),
            "query,document,label\ngelb,Neu,3\ngelb,Hose,0\n");
  EXPECT_EQ(read_text(path("labels") / "features.csv"), "number,feature\n1,price\n2,sold\n");
}

TEST_F(UltrRunLabelsTest, OptionsChooseGradesEvidenceAndFormat) {
  const Finished finished =
      labels({"--format", "lightgbm", "--positions", "--by", "thresholds", "--grades", "3",
              "--cuts", "0.3,0.45", "--min-impressions", "4", "--column", "sold"});
  EXPECT_EQ(finished.exit_code, 0) << finished.errors;
  EXPECT_THAT(finished.errors, HasSubstr("products.csv does not have them"));
  EXPECT_EQ(read_text(path("labels") / "labels.txt"),
            "2 1:5\n1 1:3\n0 1:1\n2 1:nan\n1 1:3\n0 1:1\n");
  EXPECT_EQ(read_text(path("labels") / "labels.txt.query"), "3\n3\n");
  EXPECT_EQ(read_text(path("labels") / "labels.txt.position"), "0\n1\n2\n0\n1\n2\n");
}

TEST_F(UltrRunLabelsTest, ATableNeedsNoFeatures) {
  run_well({"labels", "run", "--output", "labels", "--format", "csv", "--by", "expected",
            "--min-impressions", "1"});
  const auto rows = rows_of(path("labels") / "labels.csv");
  ASSERT_THAT(rows, SizeIs(9));
  for (std::size_t i = 1; i < rows.size(); ++i)
    EXPECT_NEAR(std::stod(rows[i][2]), std::log2(1 + 15 * std::stod(rows[i][4])), 1e-4);
  std::map<std::string, double> weights;
  for (const auto& row : rows) weights[row[1]] = row[3] == "weight" ? 0 : std::stod(row[3]);
  EXPECT_LT(weights["rar"], weights["Hose"]) << "4 impressions beside 24";
}

TEST_F(UltrRunLabelsTest, JudgedDocumentsMayBeSeparatedByTabsAndHaveClicks) {
  folder_.write("judged.tsv", "query\tproduct\tclick\tlabel\ngelb\tNeu\t0\t3\ngelb\tHose\t1\t0\n");
  const Finished finished = labels({"--grades", "3", "--judged", "judged.tsv"});
  EXPECT_EQ(finished.exit_code, 0) << finished.errors;
  EXPECT_EQ(read_text(path("labels") / "judged.svm"), "3 qid:1 1:40 2:0\n0 qid:1 1:20 2:3\n");
}

TEST_F(UltrRunLabelsTest, FeaturesOfDocumentsJoinJudgedFilesWithAnyColumnOfQueries) {
  folder_.write("judged.csv", "suche,product,label\ngelb,Neu,3\ngelb,Hose,0\n");
  const Finished finished =
      labels({"--grades", "3", "--judged", "judged.csv", "--query-column", "suche"});
  EXPECT_EQ(finished.exit_code, 0) << finished.errors;
  EXPECT_EQ(read_text(path("labels") / "judged.svm"), "3 qid:1 1:40 2:0\n0 qid:1 1:20 2:3\n");
}

TEST_F(UltrRunLabelsTest, MistakesAreOneLineAndLeaveNothing) {
  const auto expect_message = [&](const std::vector<std::string>& more, int code,
                                  const std::string& message) {
    std::vector<std::string> arguments = {"labels", "run", "--output", "new"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    expect_error(arguments, code, message);
  };
  expect_message({}, 2, "--features is missing; expected a CSV file of features, or --format csv");
  expect_message({"--features", "products.csv"}, 3,
                 "products.csv:1: has no column 'document'; expected one of 'product', ");
  expect_message({"--features", "nowhere.csv"}, 3, "nowhere.csv");
  for (const std::string option : {"--query-column", "--document-column"})
    expect_message({"--format", "csv", option, "name"}, 2,
                   option + " is given without --features or --judged; expected one of them");
  expect_message({"--format", "csv", "--judged", "judged.csv", "--column", "price"}, 2,
                 "--columns is given without --features; expected both");
  const std::vector<std::string> given = {"--features", "products.csv", "--document-column",
                                          "product"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), given.begin(), given.end());
    return more;
  };
  expect_message(with({"--column", "price", "--column", "sold", "--column", "price"}), 2,
                 "--columns has 'price' twice; expected each once");
  expect_message(with({"--query-column", "qurey"}), 3,
                 "products.csv:1: has no column 'qurey'; expected one of 'product', 'price', ");
  expect_message(with({"--cuts", "0.5"}), 2,
                 "--cuts has 1 number and --grades is 5; expected 4 numbers");
  expect_message(with({"--positions"}), 2,
                 "--positions is given and --format is 'svmlight'; expected lightgbm");
  expect_message(with({"--min-impressions", "25"}), 3,
                 "run: no document has a label and features; expected some");
  expect_message(with({"--judged", "clicks.csv"}), 3,
                 "clicks.csv:1: has no column 'label'; expected it beside 'session', ");
  for (const auto& [header, message] : std::vector<std::pair<std::string, std::string>>{
           {"query,Product,label",
            "has no column 'product'; expected --document-column to be one of 'query', 'Product', "
            "'label' (did you mean 'Product'?)"},
           {"suche,product,label",
            "has no column 'query'; expected --query-column to be one of 'suche', 'product', "
            "'label'"},
           {"query,product,labels",
            "has no column 'label'; expected it beside 'query', 'product', 'labels' (did you mean "
            "'labels'?)"},
           {"query;product;label",
            "has one column, 'query;product;label'; expected commas, or tabs in a file whose name "
            "ends in .tsv"}}) {
    folder_.write("wrong.csv", header + "\nrot,Hose,1\n");
    expect_message(with({"--judged", "wrong.csv"}), 3, "wrong.csv:1: " + message + "\n");
  }
  folder_.write("strange.csv", "query,product,label\nrot,fremd,1\n");
  expect_message(with({"--judged", "strange.csv"}), 3,
                 "strange.csv: no document has a label and features; expected some");
  expect_error({"labels", "run", "--output", "run", "--format", "csv"}, 3,
               "run: already exists; expected a new name");
}

}  // namespace
}  // namespace ultr::ultr_run_labels_test
