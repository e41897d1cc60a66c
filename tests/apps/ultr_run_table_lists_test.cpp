#include <algorithm>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/run_fixture.h"
#include "data/tables/table_records.h"

/// Tables other than click logs, through the whole program: judged lists, counts of clicks, and
/// documents with features.
namespace ultr::ultr_run_table_lists_test {
namespace {

using ::testing::ElementsAre;
using testing::Finished;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::read_text;
using ::testing::SizeIs;

/// Returns the cells of a column of a CSV file.
std::vector<std::string> column_of(const std::filesystem::path& file, const std::string& name) {
  TableRecords records(file, ',');
  EXPECT_TRUE(records.next());
  const std::vector<std::string> header(records.fields().begin(), records.fields().end());
  const auto at =
      static_cast<std::size_t>(std::find(header.begin(), header.end(), name) - header.begin());
  std::vector<std::string> cells;
  while (at < header.size() && records.next()) cells.emplace_back(records.fields()[at]);
  return cells;
}

class UltrRunTableListsTest : public testing::UltrRun {
 protected:
  UltrRunTableListsTest() {
    std::string log = "session,query,document,position,click,price,height\n";
    for (int i = 0; i < 60; ++i) {
      const std::string session = "s" + std::to_string(i) + ",\"shoes, red\",";
      const bool swapped = i % 3 == 0;
      log += session + (swapped ? "B" : "A") + ",1," + (i % 2 == 0 ? "1" : "0") +
             (swapped ? ",-1" : ",1") + ",10\n";
      log += session + (swapped ? "A" : "B") + ",2," + (i % 5 == 0 ? "1" : "0") +
             (swapped ? ",1" : ",-1") + ",20\n";
    }
    folder_.write("clicks.csv", log);
    folder_.write("judged.csv",
                  "query,document,label,price,height\n\"shoes, red\",A,1,1,0\n"
                  "\"shoes, red\",B,2,-1,0\nhats,C,1,0,0\nhats,D,0,2,0\n");
    folder_.write("shop.yaml",
                  "data: {format: table, train: clicks.csv, labels: judged.csv}\n"
                  "model: pbm\ntrain: {epochs: 2}\nreport: {enabled: false}\n");
    folder_.write("ranker.yaml",
                  "data:\n"
                  "  format: feature_lists\n"
                  "  reader: {type: table, columns: {features: [price], bias_features: [height]}}\n"
                  "  train: clicks.csv\n"
                  "  test: judged.csv\n"
                  "  learn_from: clicks\n"
                  "loss:\n"
                  "  type: two_tower\n"
                  "  relevance: {type: mlp, widths: [4]}\n"
                  "  examination: {type: mlp, widths: [4]}\n"
                  "train: {epochs: 2}\nreport: {enabled: false}\n");
  }
};

TEST_F(UltrRunTableListsTest, JudgedListsAloneAreEvaluated) {
  run_well({"shop.yaml", "output=run"});
  EXPECT_EQ(results("run")["test"].size(), 1u) << "the ranking alone";
  EXPECT_THAT(column_of(path("run") / "test_rankings.csv", "relevant"), ElementsAre("2", "1"));
  const std::string said =
      run_well({"evaluate", "run", "--data", "judged.csv", "--output", "evaluated.csv"});
  EXPECT_THAT(said, HasSubstr("ranking of 2 judged lists"));
  EXPECT_THAT(said, Not(HasSubstr("clicks")));
  EXPECT_THAT(said, Not(HasSubstr("nan")));
  EXPECT_THAT(column_of(path("evaluated.csv"), "query"), ElementsAre("shoes, red", "hats"));
  EXPECT_THAT(column_of(path("evaluated.csv"), "ll"), ElementsAre("", ""));
}

TEST_F(UltrRunTableListsTest, ALabelDecidesWhichDocumentsAreRelevant) {
  run_well({"shop.yaml", "output=run", "evaluate.relevant=2"});
  EXPECT_THAT(column_of(path("run") / "test_rankings.csv", "relevant"), ElementsAre("1", "0"));
  EXPECT_EQ(results("run")["test"]["ranking"]["lists_without_relevant"], 1);
  run_well({"evaluate", "run", "--data", "judged.csv", "--output", "evaluated.csv"});
  EXPECT_THAT(column_of(path("evaluated.csv"), "relevant"), ElementsAre("1", "0"));
  expect_error({"shop.yaml", "evaluate.relevant=0"}, 2, "evaluate.relevant");
}

TEST_F(UltrRunTableListsTest, CountsAreLearnedFromAsTheirImpressionsAre) {
  folder_.write("counts.csv",
                "query,document,position,impressions,clicks\nq,A,1,40,20\nq,B,2,40,2\n"
                "q,B,1,20,4\nq,A,2,20,6\n");
  std::string log = "session,query,document,position,click\n";
  int session = 0;
  const auto show = [&](const std::string& document, int position, int impressions, int clicks) {
    for (int i = 0; i < impressions; ++i)
      log += fmt::format("s{},q,{},{},{}\n", session++, document, position, i < clicks ? 1 : 0);
  };
  show("A", 1, 40, 20);
  show("B", 2, 40, 2);
  show("B", 1, 20, 4);
  show("A", 2, 20, 6);
  folder_.write("impressions.csv", log);
  // Not by Adam: it would enlarge rounding errors where training starts with gradients of zero.
  const std::string sgd = "\noptimizer: sgd";
  for (const std::string& choice :
       {std::string("model: pbm\noptimizer: em"), "model: pbm" + sgd, "model: gctr" + sgd,
        "model: rctr" + sgd, "model: dctr" + sgd, "model: drctr" + sgd,
        "loss: {type: two_tower, relevance: embedding}" + sgd}) {
    SCOPED_TRACE(choice);
    for (const std::string table : {"counts", "impressions"})
      folder_.write(table + ".yaml",
                    fmt::format("data: {{format: table, train: {}.csv, split: {{valid: 0.2, test: "
                                "0.2}}}}\n{}\ntrain: {{epochs: 3}}\nreport: {{enabled: false}}\n",
                                table, choice));
    run_well({"counts.yaml", "output=a"});
    run_well({"impressions.yaml", "output=b"});
    const nlohmann::json counted = results("a"), repeated = results("b");
    for (const char* split : {"train", "valid", "test"})
      for (const auto& [name, value] : repeated[split].items()) {
        if (!value.is_number()) continue;
        EXPECT_NEAR(counted[split][name].get<double>(), value.get<double>(), 1e-5)
            << split << ' ' << name;
      }
    for (const char* column : {"sessions", "documents", "clicks"})
      EXPECT_EQ(column_of(path("a") / "test_queries.csv", column),
                column_of(path("b") / "test_queries.csv", column));
    std::filesystem::remove_all(path("a"));
    std::filesystem::remove_all(path("b"));
  }
}

TEST_F(UltrRunTableListsTest, CountsAreTakenAsImpressionsByWhateverCountsSessions) {
  std::string counts = "query,document,position,impressions,clicks\n";
  for (const char* document : {"A", "B", "C"})
    for (int position = 1; position <= 2; ++position)
      counts += fmt::format("q,{},{},30,{}\n", document, position, 12 / position);
  folder_.write("counts.csv", counts);
  folder_.write("counts.yaml", "data: {format: table, train: counts.csv}\n");
  EXPECT_THAT(run_well({"diagnose", "counts.yaml"}), HasSubstr("identifiable"));
  EXPECT_THAT(run_well({"convert", "table", "counts.csv", "--output", "columns"}),
              HasSubstr("columns: 180 lists, 180 documents"));
}

TEST_F(UltrRunTableListsTest, WeightsNeedNotBeWholeUnlessSessionsAreCounted) {
  folder_.write("weighted.csv",
                "session,query,document,position,click,n\na,q,A,1,1,0.5\na,q,B,2,0,0.5\n"
                "b,q,B,1,1,2.25\nb,q,A,2,0,2.25\nc,q,A,1,0,1\nc,q,B,2,1,1\n");
  folder_.write("weighted.yaml",
                "data: {format: table, train: weighted.csv, columns: {weight: n}}\n"
                "model: pbm\ntrain: {epochs: 3}\nreport: {enabled: false}\n");
  run_well({"weighted.yaml", "output=run"});
  EXPECT_EQ(results("run")["train"]["click_rate_per_rank"][0], 2.75 / 3.75);
  run_well({"relevance", "run", "--output", "relevance.csv"});
  EXPECT_THAT(column_of(path("relevance.csv"), "impressions"), ElementsAre("3.75", "3.75"));
  EXPECT_THAT(column_of(path("relevance.csv"), "clicks"), ElementsAre("0.5", "3.25"));
  run_well({"relevance", "run", "--bootstrap", "5", "--output", "resampled.csv"});
  EXPECT_THAT(column_of(path("resampled.csv"), "upper"), ::testing::Each(Not("")));
  run_well({"weighted.yaml", "optimizer=em", "output=em"});
  expect_error({"diagnose", "weighted.yaml"}, 3,
               "a list has weight 0.5; expected whole numbers, since analyses count sessions\n");
  expect_error({"convert", "table", "weighted.csv", "--set", "columns.weight=n", "--output", "out"},
               3,
               "weighted.csv:3: the weight is 0.5; expected a whole number, since columns have no "
               "weights\n");
  folder_.write("split.yaml",
                "data: {format: table, train: weighted.csv, columns: {weight: n}, split: {valid: "
                "0.4}}\nmodel: pbm\n");
  expect_error({"choose", "split.yaml"}, 3, "expected whole numbers, since models are compared");
}

TEST_F(UltrRunTableListsTest, TowersLearnFromFeaturesAndScoreFurtherRows) {
  const std::string said = run_well({"ranker.yaml", "output=run"});
  EXPECT_THAT(said, HasSubstr("ndcg"));
  EXPECT_THAT(said, Not(HasSubstr("nan")));
  EXPECT_THAT(said, Not(HasSubstr("test:"))) << "there are no clicks to predict";
  EXPECT_THAT(column_of(path("run") / "test_rankings.csv", "query"),
              ::testing::UnorderedElementsAre("shoes, red", "hats"));
  folder_.write("new.csv", "height,price,document,query\n0,1,\"new, A\",coats\n0,-1,B,coats\n");
  run_well({"predict", "run", "--data", "new.csv", "--output", "scores.csv"});
  EXPECT_THAT(column_of(path("scores.csv"), "document"), ElementsAre("new, A", "B"));
  EXPECT_THAT(column_of(path("scores.csv"), "query"), ElementsAre("coats", "coats"));
  const auto scores = column_of(path("scores.csv"), "relevance");
  EXPECT_NE(scores.at(0), scores.at(1));
  EXPECT_THAT(run_well({"evaluate", "run", "--data", "judged.csv"}),
              HasSubstr("ranking of 2 judged lists"));
}

TEST_F(UltrRunTableListsTest, LabelsAreLearnedWithoutClicks) {
  const Finished finished =
      run({"ranker.yaml", "output=run", "data.train=judged.csv", "data.learn_from=labels",
           "loss.type=naive", "loss={type: naive, base: softmax, relevance: {type: mlp}}"});
  EXPECT_EQ(finished.exit_code, 0) << finished.errors;
  EXPECT_THAT(finished.errors, Not(HasSubstr("click rate")));
  EXPECT_THAT(finished.output + finished.errors, Not(HasSubstr("nan")));
  const auto train = results("run")["train"];
  EXPECT_THAT(train, SizeIs(2)) << train;
  EXPECT_TRUE(train.contains("loss") && train.contains("sessions")) << train;
}

TEST_F(UltrRunTableListsTest, ListsToScoreNeedNoClicks) {
  run_well({"shop.yaml", "output=run"});
  folder_.write("new.csv", "document,query\nA,\"shoes, red\"\nB,\"shoes, red\"\n");
  run_well({"predict", "run", "--data", "new.csv", "--output", "scores.csv"});
  EXPECT_THAT(column_of(path("scores.csv"), "document"), ElementsAre("A", "B"));
}

TEST_F(UltrRunTableListsTest, MistakesAreNamed) {
  expect_error({"shop.yaml", "data.train=judged.csv"}, 3,
               "judged.csv:3: the list has no clicks; expected a click log (judged lists belong "
               "into data.labels)");
  expect_error({"shop.yaml", "data.columns.features=[price]"}, 2,
               "data.columns.features is given, but a click log's pairs have no features");
  expect_error({"ranker.yaml", "data.bias_features=[1]"}, 2,
               "data.bias_features and data.reader.columns.bias_features are both given");
  expect_error(
      {"ranker.yaml", "data.reader.columns.features=[pric]"}, 3,
      "clicks.csv:1: has no column 'pric'; expected data.reader.columns.features to be one of");
}

}  // namespace
}  // namespace ultr::ultr_run_table_lists_test
