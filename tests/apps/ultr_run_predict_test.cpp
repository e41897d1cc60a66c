#include <cmath>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/run_fixture.h"
#include "base/files/npy.h"

namespace ultr::ultr_run_predict_test {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using testing::Finished;
using ::testing::HasSubstr;
using testing::read_text;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr const char* click_header =
    "list,query,position,document,relevance,click,click_given_clicks_above";

/// The cells of a CSV file, row by row, without the header.
std::vector<std::vector<std::string>> rows_of(const std::string& csv) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(csv);
  std::string line, cell;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    rows.emplace_back();
    std::istringstream cells(line + ",");
    while (std::getline(cells, cell, ',')) rows.back().push_back(cell);
  }
  return rows;
}

/// Runs that were trained for one epoch: `clicks`, a pbm of query-document pairs, and `features`, a
/// ranker.
class UltrRunPredictTest : public testing::UltrRun {
 protected:
  UltrRunPredictTest() {
    folder_.write("log.txt",
                  "1\t7\t[5, 6]\t[1, 1]\t[1, 1]\n"
                  "2\t8\t[5, 9, 4]\t[1, 1, 1]\t[1, 0, 0]\n");
    folder_.write("judged.txt", "1\t7\t[6, 5]\t[1, 1]\t[0, 0]\t[2, 0]\n");
    folder_.write("clicks.yaml",
                  "data: {format: tiangong, train: log.txt, test: log.txt, labels: judged.txt}\n"
                  "model: {type: dbn}\ntrain: {epochs: 1}\n");
    folder_.write("train.svm",
                  "2 qid:1 1:3 2:1\n0 qid:1 2:2\n0 qid:1 1:9 3:1e38\n1 qid:2 1:1\n0 qid:2 3:7\n");
    folder_.write("test.svm", "0 qid:5 1:2 2:1\n1 qid:5 2:8\n2 qid:6 3:3\n");
    folder_.write(
        "features.yaml",
        "data: {format: feature_lists, train: train.svm, test: test.svm,\n"
        "       learn_from: {scale: probability}, scaling: {log1p: true, standardise: true}}\n"
        "loss: {type: naive, relevance: {type: mlp, widths: [4]}}\n"
        "train: {epochs: 1}\n");
  }

  void train(const std::string& name) const {
    run_well({name + ".yaml", "output=" + name, "report.enabled=false"});
  }

  void expect_error(const std::vector<std::string>& arguments, int exit_code,
                    const std::string& message) const {
    const std::size_t files = folder_.size();
    const Finished finished = run(arguments);
    EXPECT_EQ(finished.exit_code, exit_code) << finished.errors;
    EXPECT_THAT(finished.errors, StartsWith("error: "));
    EXPECT_THAT(finished.errors, HasSubstr(message));
    EXPECT_EQ(finished.errors.find('\n'), finished.errors.size() - 1) << finished.errors;
    EXPECT_EQ(finished.output, "");
    EXPECT_EQ(folder_.size(), files) << "something was created";
  }
};

TEST_F(UltrRunPredictTest, PredictsClicksOfKnownPairsAndByOneRowOfOthers) {
  train("clicks");
  folder_.write("new.txt", "1\t8\t[4, 5]\t[1, 1]\t[1, 0]\n2\t7\t[44, 45]\t[1, 1]\t[0, 0]\n");
  const Finished finished = run({"predict", "clicks", "--data", "new.txt"});
  EXPECT_EQ(finished.exit_code, 0);
  EXPECT_EQ(
      finished.errors,
      "2 of 4 documents are query-document pairs that were not in the training data; the model "
      "gives all of these the parameters of unknown pairs\n");
  EXPECT_THAT(finished.output, StartsWith(std::string(click_header) + "\n1,8,1,4,"));
  const auto rows = rows_of(finished.output);
  ASSERT_THAT(rows, SizeIs(4));
  // Of a dynamic Bayesian network, by hand, from the files of its parameters.
  const auto logit = [&](const std::string& name, std::size_t row) {
    const std::filesystem::path model = path("clicks/model");
    return read_npy<float>(model / (name + ".baseline.npy")).at(0) +
           read_npy<float>(model / (name + ".npy")).at(row);
  };
  const auto sigmoid = [](double x) { return 1 / (1 + std::exp(-x)); };
  const double go_on = sigmoid(read_npy<float>(path("clicks/model/continuation.npy")).at(0));
  const std::size_t dictionary[] = {5, 3, 0, 0};  // rows in the order in which training shows pairs
  for (std::size_t i = 0; i < 4; ++i) {
    const std::size_t above = dictionary[i / 2 * 2];
    const double a = sigmoid(logit("attraction", dictionary[i]));
    const double a1 = sigmoid(logit("attraction", above));
    const double s1 = sigmoid(logit("satisfaction", above));
    const bool first = i % 2 == 0;
    EXPECT_THAT((std::vector<std::string>{rows[i][0], rows[i][1], rows[i][2], rows[i][3]}),
                ElementsAre(i < 2 ? "1" : "2", i < 2 ? "8" : "7", first ? "1" : "2",
                            std::vector<std::string>{"4", "5", "44", "45"}[i]));
    const double relevance = a * sigmoid(logit("satisfaction", dictionary[i]));
    EXPECT_NEAR(std::stod(rows[i][4]), std::log(relevance / (1 - relevance)), 1e-5);
    const double examined = first ? 1 : go_on * (1 - a1 * s1);
    EXPECT_NEAR(std::stod(rows[i][5]), examined * a, 1e-5);
    const double given = first ? 1 : i == 1 ? go_on * (1 - s1) : go_on;
    EXPECT_NEAR(std::stod(rows[i][6]), given * a, 1e-5) << "the first list has its top clicked";
  }
}

TEST_F(UltrRunPredictTest, WritesAFileAndReportsTheNumberOfRows) {
  train("clicks");
  const std::string said =
      run_well({"predict", "clicks", "--data", "log.txt", "--data", "log.txt", "-o", "out.csv"});
  EXPECT_EQ(said, "out.csv: 4 lists, 10 documents\n");
  const auto rows = rows_of(read_text(path("out.csv")));
  ASSERT_THAT(rows, SizeIs(10));
  EXPECT_EQ(rows.back().front(), "4") << "lists are numbered through all files";
  EXPECT_EQ(run_well({"predict", "clicks", "--data", "log.txt", "--data", "log.txt"}),
            read_text(path("out.csv")));
}

TEST_F(UltrRunPredictTest, ManyListsKeepTheirOrderOnAnyNumberOfThreads) {
  std::string lists;
  for (int list = 0; list < 1000; ++list)
    lists += fmt::format("{}\t{}\t[{}, 5]\t[1, 1]\t[{}, 0]\n", list, list, 10 + list, list % 2);
  folder_.write("many.txt", lists);
  std::vector<std::string> outputs;
  for (const std::string threads : {"1", "3"}) {
    const std::string run = "with" + threads;
    run_well({"clicks.yaml", "output=" + run, "report.enabled=false", "threads=" + threads});
    outputs.push_back(run_well({"predict", run, "--data", "many.txt"}));
  }
  EXPECT_EQ(outputs[0], outputs[1]);
  const auto rows = rows_of(outputs[1]);
  ASSERT_THAT(rows, SizeIs(2000));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i][0], std::to_string(i / 2 + 1));
    EXPECT_EQ(rows[i][1], std::to_string(i / 2));
    EXPECT_EQ(rows[i][3], std::to_string(i % 2 == 0 ? 10 + i / 2 : 5));
  }
}

TEST_F(UltrRunPredictTest, EvaluatesAsTheRunDid) {
  train("clicks");
  const std::string clicks = run_well({"evaluate", "clicks", "--data=log.txt", "-o", "lists.csv"});
  const nlohmann::json test = results("clicks")["test"];
  EXPECT_THAT(clicks, StartsWith("2 lists, 5 documents\nclicks on 5 documents\n"));
  for (const std::string name : {"ll", "ppl", "cond_ppl"})
    EXPECT_THAT(clicks,
                HasSubstr(fmt::format("\n  {:<22} {:.5f}\n", name, test[name].get<double>())));
  const auto lists = rows_of(read_text(path("lists.csv")));
  const auto queries = rows_of(read_text(path("clicks/test_queries.csv")));
  ASSERT_THAT(lists, SizeIs(2));
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(lists[i][1], queries[i][0]);
    for (const std::size_t column : {2, 3, 4, 5}) EXPECT_EQ(lists[i][column], queries[i][column]);
    EXPECT_EQ(lists[i].back(), "") << "no labels";
  }
  EXPECT_THAT(run_well({"evaluate", "clicks", "--data=judged.txt"}),
              HasSubstr(fmt::format("\n  {:<22} {:.5f}\n", "ndcg@5",
                                    test["ranking"]["ndcg@5"].get<double>())));
}

TEST_F(UltrRunPredictTest, RawFeaturesAreScaledAsInTraining) {
  train("features");
  const std::string ranking =
      run_well({"evaluate", "features", "--data", "test.svm", "-o", "e.csv"});
  const nlohmann::json test = results("features")["test"]["ranking"];
  for (const std::string name : {"ndcg@10", "arp"})
    EXPECT_THAT(ranking,
                HasSubstr(fmt::format("\n  {:<22} {:.5f}\n", name, test[name].get<double>())));
  const auto lists = rows_of(read_text(path("e.csv")));
  const auto judged = rows_of(read_text(path("features/test_rankings.csv")));
  ASSERT_EQ(lists.size(), judged.size());
  for (std::size_t i = 0; i < lists.size(); ++i) {
    EXPECT_THAT(std::vector<std::string>(lists[i].begin() + 3, lists[i].begin() + 6),
                ElementsAre("", "", ""));
    EXPECT_EQ(std::vector<std::string>(lists[i].begin() + 6, lists[i].end()),
              std::vector<std::string>(judged[i].begin() + 2, judged[i].end()));
  }
}

TEST_F(UltrRunPredictTest, BiasFeaturesDoNotRank) {
  folder_.write("biased.yaml",
                "data: {format: feature_lists, train: train.svm, test: test.svm,\n"
                "       bias_features: [2], learn_from: {scale: probability}}\n"
                "loss: {type: two_tower, relevance: linear, examination: linear}\n"
                "train: {epochs: 1}\n");
  train("biased");
  const auto predict = [&](const std::string& feature) {
    folder_.write("one.svm", "0 qid:1 1:2 3:1" + feature + "\n");
    return rows_of(run_well({"predict", "biased", "--data", "one.svm"})).at(0);
  };
  const auto without = predict(""), with = predict(" 2:7");
  EXPECT_EQ(with[4], without[4]) << "relevance";
  const auto logit = [](const std::string& p) { return -std::log(1 / std::stod(p) - 1); };
  const std::vector<float> weights = read_npy<float>(path("biased/model/examination.weights.npy"));
  ASSERT_THAT(weights, SizeIs(3 + 1)) << "positions, and the bias feature";
  EXPECT_NEAR(logit(with[5]) - logit(without[5]), 7 * static_cast<double>(weights[3]), 1e-4);
}

TEST_F(UltrRunPredictTest, EstimatedPropensitiesAreSavedWithTheModel) {
  folder_.write("svm.yaml",
                "data: {format: feature_lists, train: train.svm, test: test.svm,\n"
                "       learn_from: {type: simulated_clicks, sessions: 2000, rankings: 2}}\n"
                "loss: {type: pbm, estimator: ctr, relevance: linear}\n"
                "train: {epochs: 1}\n");
  train("svm");
  const std::string csv = read_text(path("svm/model/estimated_propensities.csv"));
  EXPECT_THAT(csv, StartsWith("position,propensity\n1,1\n2,"));
  const std::string predicted = run_well({"predict", "svm", "--data", "test.svm"});
  folder_.write("svm/model/estimated_propensities.csv", "position,propensity\n1,1\n2,0.5\n3,0.5\n");
  const auto before = rows_of(predicted),
             after = rows_of(run_well({"predict", "svm", "--data", "test.svm"}));
  EXPECT_EQ(before[1][4], after[1][4]);
  EXPECT_NE(before[1][5], after[1][5]) << "predictions do not read them";
  std::filesystem::remove(path("svm/model/estimated_propensities.csv"));
  expect_error({"predict", "svm", "--data", "test.svm"}, 3, "model/estimated_propensities.csv: ");
}

TEST_F(UltrRunPredictTest, AnotherFormatOfTheSameListsPredictsTheSame) {
  train("features");
  run_well({"convert", "svmlight", "test.svm", "--output", "columns"});
  const std::string text = run_well({"predict", "features", "--data", "test.svm"});
  EXPECT_THAT(text, StartsWith(std::string(click_header) + "\n1,5,1,,"));
  EXPECT_THAT(rows_of(text), SizeIs(3));
  EXPECT_EQ(run_well({"predict", "features", "--format", "columns", "--data", "columns"}), text);
}

TEST_F(UltrRunPredictTest, OptionsOfTheFormatCanBeChanged) {
  train("clicks");
  folder_.write("bad.txt", "1\t7\t[5, 6]\t[1, 1]\t[1, 1]\nnonsense\n");
  expect_error({"predict", "clicks", "--data", "bad.txt"}, 3, "bad.txt:2: ");
  const Finished finished = run({"predict", "clicks", "on_error=skip", "--data", "bad.txt"});
  EXPECT_EQ(finished.exit_code, 0);
  EXPECT_THAT(rows_of(finished.output), SizeIs(2));
  EXPECT_THAT(finished.errors, HasSubstr("1 of 2 lines were left out"));
}

TEST_F(UltrRunPredictTest, BadDataAreOneLine) {
  train("clicks");
  train("features");
  expect_error({"predict", "clicks", "--data", "gone.txt"}, 3, "gone.txt: there is no such file");
  expect_error({"predict", "clicks", "--data", "log.txt", "--format", "svmlight"}, 2,
               "there is no format 'svmlight' for the run's model; expected one of table");
  expect_error({"predict", "clicks", "--data", "log.txt", "nope=1"}, 2, "unknown key 'nope'");
  folder_.write("long.txt", "1\t7\t[5, 6, 7, 8]\t[1, 1, 1, 1]\t[1, 1, 0, 0]\n");
  folder_.write("ubm.yaml",
                "data: {format: tiangong, train: log.txt}\nmodel: ubm\ntrain: {epochs: 1}\n");
  train("ubm");
  expect_error({"evaluate", "ubm", "--data", "long.txt", "-o", "x.csv"}, 3,
               "long.txt:1: a document is displayed at position 4; expected at most 3, the last "
               "that the model knows");
  folder_.write("wide.svm", "0 qid:1 1:1 4:1\n");
  expect_error({"predict", "features", "--data", "wide.svm", "-o", "x.csv"}, 3,
               "wide.svm:1: a feature index is '4'; expected at most 3");
  run_well({"convert", "svmlight", "wide.svm", "--output", "wide"});
  expect_error({"predict", "features", "--format=columns", "--data", "wide"}, 3,
               "features.npy: 4 columns; expected 3");
  expect_error({"predict", "features", "--data", "test.svm", "-o", "gone/x.csv"}, 3,
               "gone/x.csv: cannot be written (No such file or directory)");
  run_well({"convert", "tiangong", "log.txt", "--output", "clicked"});
  expect_error({"evaluate", "features", "--data", "clicked", "--format", "columns"}, 3, "features");
}

TEST_F(UltrRunPredictTest, ClicksAtUnknownPositionsAreLeftOpenAndRelevanceIsNot) {
  folder_.write("pbm.yaml",
                "data: {format: tiangong, train: log.txt}\nmodel: pbm\ntrain: {epochs: 1}\n");
  train("pbm");
  folder_.write("long.txt",
                "1\t7\t[5, 6, 7, 8]\t[1, 1, 1, 1]\t[1, 1, 0, 0]\n1\t7\t[5]\t[1]\t[1]\n");
  const auto rows = rows_of(run_well({"predict", "pbm", "--data", "long.txt"}));
  ASSERT_THAT(rows, SizeIs(5));
  EXPECT_EQ(rows[0][4], rows[4][4]);
  for (const std::size_t column : {5, 6}) {
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(rows[i][column], "");
    EXPECT_NE(rows[4][column], "");
  }
}

TEST_F(UltrRunPredictTest, SimulatedDataNeedAFormat) {
  folder_.write("made.yaml",
                "data: {format: simulation, sessions: 300, queries: 3, candidates: 4, "
                "positions: 3}\nmodel: pbm\ntrain: {epochs: 1}\n");
  train("made");
  expect_error(
      {"predict", "made", "--data", "log.txt"}, 2,
      "the run's data come from 'simulation', which is not a file format; expected --format");
  EXPECT_THAT(rows_of(run_well({"predict", "made", "--format", "tiangong", "--data", "log.txt"})),
              SizeIs(5));
}

TEST_F(UltrRunPredictTest, DamagedRunsAreOneLine) {
  expect_error({"predict", "gone", "--data", "log.txt"}, 3, "gone: there is no such folder");
  folder_.write("config.yaml", "model: pbm\n");
  expect_error({"predict", ".", "--data", "log.txt"}, 3, "has no model/model.json; expected the");
  train("clicks");
  train("features");
  write_npy(path("clicks/model/attraction.npy"), std::vector<float>(4));
  expect_error(
      {"predict", "clicks", "--data", "log.txt"}, 3,
      "clicks/model/attraction.npy: is [4]; expected [6], as the run's configuration says");
  std::filesystem::remove(path("features/model/feature_scaling.npy"));
  expect_error({"predict", "features", "--data", "test.svm"}, 3, "model/feature_scaling.npy: ");
}

}  // namespace
}  // namespace ultr::ultr_run_predict_test
