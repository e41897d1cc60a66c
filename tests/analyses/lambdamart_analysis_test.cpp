#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyses/analyses.h"
#include "data/features/boosted_trees.h"
#include "experiment/data_options.h"
#include "experiment/task.h"
#include "models/model_fixture.h"
#include "testing/errors.h"
#include "training/ranking_evaluation.h"

namespace ultr::lambdamart_analysis_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TaskResults train(const std::string& data, const std::string& more = "") {
  const Registry& types = testing::registry();
  const auto made = lambdamart_type(types.data(), types.models(), types.optimizers()).make();
  testing::configure(*made, "{trees: 30, data: " + data + more + "}");
  auto& analysis = dynamic_cast<Task&>(*made);
  analysis.check();
  Registry registry;
  return analysis.run({.registry = registry, .threads = 2});
}

/// Judged lists to learn from as `learn_from` says.
std::string lists(const std::string& learn_from) {
  return "{format: feature_lists, reader: {type: synthetic, train_queries: 60, valid_queries: 0, "
         "test_queries: 60, shortest: 10, longest: 10}, learn_from: " +
         learn_from + "}";
}

/// Clicks on lists that are shown worst first, so that click rates are misleading.
const std::string clicks = lists(
    "{type: simulated_clicks, sessions: 20000, aggregate: false, rankings: 4, policy: {strength: "
    "-0.5}, user: {type: position_based, eta: 2}}");

double ndcg(const TaskResults& results) { return results.json["test"]["ranking"]["ndcg@10"]; }

TEST(LambdaMartAnalysisTest, LearnsFromJudgedLists) {
  const TaskResults results = train(lists("labels"));
  EXPECT_EQ(results.json["training"]["lists"], 60);
  EXPECT_EQ(results.json["training"]["documents"], 600);
  EXPECT_FALSE(results.json["training"].contains("left_out"));
  EXPECT_EQ(results.json["test"]["ranking"]["lists"], 60);
  EXPECT_GT(ndcg(results), 0.72) << "0.60 is chance";
}

TEST(LambdaMartAnalysisTest, LabelsOfAClickModelAreAboveThoseOfClickRates) {
  const TaskResults model = train(clicks, ", train: {epochs: 50}"),
                    rates = train(clicks, ", model: dctr, train: {epochs: 50}");
  EXPECT_GT(ndcg(model), ndcg(rates) + 0.03);
}

TEST(LambdaMartAnalysisTest, TestDocumentsAreNotCountedAsLeftOut) {
  const auto left_out = [](const std::string& labels) {
    return train(clicks, ", model: dctr, train: {epochs: 1}, labels: " + labels)
        .json["training"]["left_out"];
  };
  EXPECT_EQ(left_out("{min_impressions: 1}"), 0);
  EXPECT_GT(left_out("{min_impressions: 340}"), 0);
}

TEST(LambdaMartAnalysisTest, TreesAndRankingsAreFilesOfTheRun) {
  const TaskResults results = train(lists("labels"));
  ASSERT_EQ(results.run_files.size(), 2u);
  EXPECT_EQ(results.run_files[0].first, "lambdamart.json");
  EXPECT_THAT(results.run_files[0].second, StartsWith("{\"learner\""));
  EXPECT_EQ(results.run_files[1].first, "test_rankings.csv");
  EXPECT_THAT(results.run_files[1].second, HasSubstr("ndcg@10"));
}

/// Returns scores of the documents of judged lists, list after list, by trees in XGBoost's JSON.
std::vector<double> scores_by(const std::string& json, const Dataset& dataset) {
  std::vector<float> features;
  for (std::size_t i = 0; i < dataset.labels.size(); ++i)
    for (const std::uint32_t row : dataset.labels.rows(i)) {
      const auto its = dataset.features.row(row);
      features.insert(features.end(), its.begin(), its.end());
    }
  const std::vector<float> scores =
      LoadedTrees(json, static_cast<std::size_t>(dataset.features.count()), 1).scores(features);
  return {scores.begin(), scores.end()};
}

TEST(LambdaMartAnalysisTest, SavedTreesReadFeaturesAsTheFilesHaveThem) {
  const std::string format = "format: feature_lists, ";
  std::string scaled = lists("labels"), raw = lists("labels");
  scaled.insert(1, "bias_features: [9, 2], scaling: {log1p: true, standardise: true}, ");
  raw.erase(1, format.size());
  const Choice source(testing::registry().data(), "feature_lists");
  testing::configure(*source.options, raw);
  const Dataset dataset = source.as<DataOptions>().load({}).dataset;
  ASSERT_EQ(dataset.features.count(), 17);
  const TaskResults results = train(scaled);
  EXPECT_EQ(results.json["training"]["features"], 15);
  EXPECT_EQ(train(scaled, ", folds: 3").json["training"]["features"], 15);
  const std::vector<double> scores = scores_by(results.run_files[0].second, dataset);
  EXPECT_EQ(evaluate_scores(scores, dataset.labels, {}).value("ndcg@10"), ndcg(results));
}

TEST(LambdaMartAnalysisTest, TreesReadNoBiasFeatures) {
  std::string data = lists("labels");
  data.insert(1, "bias_features: [8], ");
  const TaskResults results = train(data);
  const nlohmann::json trees = nlohmann::json::parse(results.run_files[0].second)
                                   .at("learner")
                                   .at("gradient_booster")
                                   .at("model")
                                   .at("trees");
  std::set<int> read;
  for (const nlohmann::json& tree : trees)
    for (std::size_t i = 0; i < tree.at("split_indices").size(); ++i)
      if (tree.at("left_children")[i] >= 0) read.insert(tree.at("split_indices")[i].get<int>());
  EXPECT_FALSE(read.contains(7));
  EXPECT_TRUE(read.contains(14)) << "features keep their numbers";
}

TEST(LambdaMartAnalysisTest, CrossValidationLearnsFromJudgedTestListsAlone) {
  const TaskResults results = train(lists("labels"), ", folds: 3");
  EXPECT_EQ(
      results.json["training"],
      (nlohmann::ordered_json{{"lists", 60}, {"documents", 600}, {"features", 17}, {"folds", 3}}));
  EXPECT_EQ(results.json["test"]["ranking"]["lists"], 60);
  EXPECT_GT(ndcg(results), 0.72) << "0.60 is chance";
  EXPECT_EQ(ndcg(train(clicks, ", folds: 3")), ndcg(results)) << "clicks play no part";
  std::vector<std::string> files;
  for (const auto& [name, content] : results.run_files) files.push_back(name);
  EXPECT_THAT(files, ElementsAre("lambdamart.1.json", "lambdamart.2.json", "lambdamart.3.json",
                                 "test_rankings.csv"));
}

TEST(LambdaMartAnalysisTest, BinsListsByASimulatedLoggingPolicy) {
  const nlohmann::ordered_json bins =
      train(clicks, ", folds: 3").json["test"]["ranking"]["by_policy"];
  EXPECT_EQ(bins["lists"], (std::vector{12, 12, 12, 12, 12}));
  for (const char* ranker : {"policy", "model", "random"}) EXPECT_EQ(bins[ranker].size(), 5u);
  EXPECT_LT(bins["policy"][0], bins["random"][0]);
  EXPECT_FALSE(train(lists("labels")).json["test"]["ranking"].contains("by_policy"));
}

TEST(LambdaMartAnalysisTest, RefusesWhatItCannotLearnFrom) {
  const auto message = [](const std::string& data, const std::string& more = "") {
    return testing::message_of<Error>([&] { train(data, more); });
  };
  EXPECT_EQ(message("{format: simulation, sessions: 10}"),
            "the documents have no features; expected some to rank them by");
  EXPECT_EQ(message(lists("{type: simulated_clicks, sessions: 100}")),
            "the sessions have click rates; expected clicks (analysis.data.learn_from.aggregate: "
            "false)");
  EXPECT_EQ(message(lists("{type: labels, scale: probability}")).substr(0, 11), "a label is ");
  EXPECT_EQ(message(clicks, ", model: gctr"),
            "analysis.model gctr has no parameters of query-document pairs; expected one that "
            "learns them");
  EXPECT_EQ(message(clicks, ", train: {epochs: 1}, labels: {min_impressions: 1000000}"),
            "no document has 1000000 impressions; expected some to learn from");
  EXPECT_EQ(message(lists("labels"), ", folds: 1"),
            "analysis.folds is 1; expected 0 or at least 2, since each fold is ranked by trees "
            "that learned from the others");
  EXPECT_EQ(message(clicks, ", labels: {by: expected}"),
            "analysis.labels.by is 'expected'; expected thresholds or quantiles, since LambdaMART "
            "learns whole grades");
}

}  // namespace
}  // namespace ultr::lambdamart_analysis_test
