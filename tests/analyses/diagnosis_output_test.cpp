#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyses/device_log.h"
#include "analyses/diagnosis_report.h"

namespace ultr::diagnosis_output_test {
namespace {

using testing::temperature_data;

nlohmann::ordered_json json_of(const ExperimentData& data) {
  const Diagnosis diagnosis = diagnose(data, {});
  return diagnosis_json(diagnosis, verdict_of(diagnosis));
}

TEST(DiagnosisOutputTest, HasNumbersByRankAndNullForMissingOnes) {
  const auto json = json_of(temperature_data({.temperature = 0, .sessions = 200}));
  EXPECT_EQ(json["verdict"]["answer"], "not identifiable");
  EXPECT_EQ(json["verdict"]["pairs_identified"], 0);
  EXPECT_EQ(json["verdict"]["features"], "not measured");
  EXPECT_EQ(json["rank_graph"]["ranks"].dump(), "[1,2,3,4,5]");
  EXPECT_EQ(json["rank_graph"]["components"].dump(), "[[1],[2],[3],[4],[5]]");
  EXPECT_EQ(json["rank_graph"]["standard_errors"].dump(), "[0.0,null,null,null,null]");
  EXPECT_EQ(json["rank_graph"]["weakest_links"].dump(), "[null,null,null,null,null]");
  EXPECT_TRUE(json["rank_graph"]["links"].empty());
  EXPECT_EQ(json["orders"]["same_order"], 1);
  EXPECT_TRUE(json["feature_overlap"].is_null());
  EXPECT_TRUE(json["bias_combinations"].is_null());
  EXPECT_TRUE(json["logging_policy"].is_null());
  EXPECT_TRUE(json["residuals"]["correlation_with_score"]["value"].is_null());
}

TEST(DiagnosisOutputTest, SaysWhatFeaturesAndSwapsTell) {
  const auto json = json_of(temperature_data(
      {.temperature = 0.5, .with_features = true, .sessions = 2000, .queries = 200}));
  EXPECT_EQ(json["verdict"]["pairs_identified"], 1);
  EXPECT_EQ(json["verdict"]["features_identified"], 1);
  EXPECT_EQ(json["rank_graph"]["links"].size(), 10u);
  EXPECT_EQ(json["rank_graph"]["links"][0]["ranks"].dump(), "[1,2]");
  EXPECT_GT(json["rank_graph"]["weakest_effective_swaps"][4], 1.);
  EXPECT_EQ(json["feature_overlap"]["from_first"].size(), 5u);
  EXPECT_GT(json["logging_policy"]["ndcg@10"], json["logging_policy"]["random_ndcg@10"]);
  EXPECT_EQ(json["residuals"]["means"].size(), 5u);
}

TEST(DiagnosisOutputTest, HasNumbersByCombinationOfBiasFeatures) {
  const auto json = json_of(testing::device_data(
      {.temperature = 0.5, .with_features = true, .sessions = 400, .documents = 2},
      [](std::size_t s) { return static_cast<float>(s % 2); }));
  const auto& combinations = json["bias_combinations"];
  EXPECT_EQ(combinations["features"].dump(), R"(["device"])");
  EXPECT_EQ(combinations["names"][1], "rank 1, device = 1");
  EXPECT_EQ(combinations["impressions"].dump(), "[200.0,200.0,200.0,200.0]");
  EXPECT_EQ(combinations["components"].dump(), "[[1,3],[2,4]]");
  EXPECT_TRUE(combinations["standard_errors"][1].is_null());
  EXPECT_EQ(combinations["hardest_step"].size(), 4u);
}

}  // namespace
}  // namespace ultr::diagnosis_output_test
