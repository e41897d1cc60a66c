#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyses/analyses.h"
#include "analyses/policy_strength.h"
#include "experiment/task.h"
#include "models/model_fixture.h"
#include "testing/errors.h"

namespace ultr::policy_estimation_test {
namespace {

const std::string lambdamart = "{type: lambdamart, trees: 50, learning_rate: 0.1}",
                  network = "{type: network, learning_rate: 0.005}";

nlohmann::ordered_json estimate(const std::string& data, const std::string& more = "",
                                const std::string& ranker = lambdamart) {
  const Registry& types = testing::registry();
  const auto made = policy_estimation_type(types.data(), types.layers()).make();
  testing::configure(*made, "{ranker: " + ranker + ", data: " + data + more + "}");
  auto& analysis = dynamic_cast<Task&>(*made);
  analysis.check();
  Registry registry;
  return analysis.run({.registry = registry, .threads = 2}).json;
}

/// Synthetic lists shown by a policy, with features that networks can read.
std::string shown_by(const std::string& policy) {
  return "{format: feature_lists, reader: {type: synthetic, train_queries: 150, valid_queries: 0, "
         "test_queries: 80, shortest: 10, longest: 10}, scaling: {log1p: true, standardise: true}, "
         "learn_from: {type: simulated_clicks, "
         "sessions: 600, aggregate: false, policy: " +
         policy + "}}";
}

TEST(PolicyEstimationTest, ReproducesAFeatureBasedPolicyButNotARandomOne) {
  const nlohmann::ordered_json of_features = estimate(shown_by("{type: lambdamart, queries: 100}"));
  const nlohmann::ordered_json of_chance = estimate(shown_by("{strength: 0}"));
  // What random orders of ten documents come to.
  for (const nlohmann::ordered_json& json : {of_features, of_chance})
    EXPECT_NEAR(json["accuracy"]["random"]["mean"], random_order_ndcg(10), 1e-12);
  EXPECT_GT(of_features["accuracy"]["lower"], 0.8);
  EXPECT_LT(of_chance["accuracy"]["lower"], random_order_ndcg(10) + 0.02);
  EXPECT_LT(of_chance["accuracy"]["mean"], of_features["accuracy"]["lower"]);
  for (const char* bound : {"lower", "upper"})
    EXPECT_NE(of_features["accuracy"][bound], of_features["accuracy"]["mean"]);
}

TEST(PolicyEstimationTest, ANetworkReproducesAFeatureBasedPolicyButNotARandomOne) {
  const nlohmann::ordered_json of_features =
      estimate(shown_by("{type: lambdamart, queries: 100}"), "", network);
  EXPECT_GT(of_features["accuracy"]["lower"], 0.8);
  EXPECT_GT(of_features["strength"]["lower"], of_features["strength"]["random"]["upper"]);
  const nlohmann::ordered_json of_chance = estimate(shown_by("{strength: 0}"), "", network);
  EXPECT_LT(of_chance["accuracy"]["lower"], random_order_ndcg(10) + 0.02);
}

TEST(PolicyEstimationTest, NetworksReadFeatures) {
  EXPECT_THAT(testing::config_message(
                  [] { estimate(shown_by("{}"), "", "{type: network, relevance: table}"); }),
              ::testing::HasSubstr("has a number for each document"));
}

TEST(PolicyEstimationTest, AGoodPolicyIsStrongOnJudgedLists) {
  const nlohmann::ordered_json good = estimate(shown_by("{type: lambdamart, queries: 150}")),
                               bad = estimate(
                                   shown_by("{type: lambdamart, queries: 150, strength: -1}"));
  EXPECT_EQ(good["strength"]["lists"], 80);
  EXPECT_GT(good["strength"]["lower"], good["strength"]["random"]["upper"]);
  EXPECT_LT(bad["strength"]["upper"], bad["strength"]["random"]["lower"]);
}

/// A policy by the depth of URLs, feature 17, about which the others hardly know anything.
TEST(PolicyEstimationTest, LearnsFromNoBiasFeatures) {
  std::string data = shown_by("{type: feature, feature: 17}");
  const nlohmann::ordered_json with = estimate(data);
  data.insert(1, "bias_features: [17], ");
  const nlohmann::ordered_json without = estimate(data);
  EXPECT_EQ(with["features"], 17);
  EXPECT_EQ(without["features"], 16);
  EXPECT_LT(without["accuracy"]["upper"], with["accuracy"]["lower"]);
}

TEST(PolicyEstimationTest, RespectsTheLimitOnTrainingLists) {
  EXPECT_EQ(estimate(shown_by("{strength: 1}"), ", lists: 40")["training_sessions"], 40);
  EXPECT_EQ(estimate(shown_by("{strength: 1}"))["training_sessions"], 600);
}

TEST(PolicyEstimationTest, RefusesDataWithoutFeaturesOrHeldOutSessions) {
  EXPECT_EQ(testing::config_message([] {
              estimate("{format: simulation, sessions: 10, valid_sessions: 0, test_sessions: 0}");
            }),
            "analysis.data holds no session out; expected test or validation sessions whose order "
            "is to be reproduced");
  EXPECT_EQ(testing::data_message([] { estimate("{format: simulation, sessions: 10}"); }),
            "the sessions have no features; expected some to learn their order from");
}

}  // namespace
}  // namespace ultr::policy_estimation_test
