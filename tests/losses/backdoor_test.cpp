#include "losses/backdoor.h"

#include <cmath>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "dsl/learned_position_bias.h"
#include "losses/loss_variants.h"
#include "models/model_fixture.h"

namespace ultr::backdoor_test {
namespace {

using ::testing::ElementsAre;

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

/// A list of two documents, the second of which was clicked.
Shard two_documents() {
  SessionLog log;
  log.add({std::vector<std::uint32_t>{1, 2}, std::vector<std::uint16_t>{0, 2},
           std::vector<std::uint8_t>{0, 1}});
  return testing::pack_all(log);
}

class BackdoorLossTest : public ::testing::Test {
 protected:
  static TrainableModel build(const std::string& options) {
    TrainableModel model = testing::build_loss("backdoor", {.rows = 3, .positions = 3}, options);
    for (Parameter* parameter : model.parameters()) parameter->fill(0);
    const auto set = [&](const std::string& name, std::int64_t entry, double value) {
      testing::parameter_called(model, name).value(entry) = static_cast<float>(value);
    };
    set("relevance", 1, 0.25);
    set("relevance", 2, -0.5);
    set("estimated_relevance", 2, 1.5);
    set("estimated_examination", 0, -0.25);
    set("estimated_examination", 2, -1.25);
    set("policy", 1, 2);
    set("policy", 2, 0.5);
    set("position_encoding", 0, 0.5);
    set("position_encoding", 2, -0.75);
    return model;
  }
  static double loss(const TrainableModel& stage) {
    return ClickPrograms(stage, ProgramKind::loss, Precision::float64).run(two_documents()).loss();
  }
};

TEST_F(BackdoorLossTest, HasItsStages) {
  const TrainableModel model = build("{}");
  std::vector<std::string> types, trained;
  for (const TrainableModel& stage : model.stages()) {
    types.push_back(stage.type());
    std::string names;
    for (const TrainableModel::Layer& layer : stage.layers()) names += layer.name + " ";
    trained.push_back(names);
  }
  EXPECT_THAT(types,
              ElementsAre("backdoor.estimate", "backdoor.policy", "backdoor.bias", "backdoor"));
  EXPECT_THAT(trained, ElementsAre("estimated_relevance estimated_examination ", "policy ",
                                   "position_encoding ", "relevance "));
}

/// The attention rank loss of two documents: cross-entropy of softmaxes.
double attention_rank(double target_1, double target_2, double score_1, double score_2) {
  const double share = sigmoid(target_1 - target_2);
  return -share * std::log(sigmoid(score_1 - score_2)) -
         (1 - share) * std::log(sigmoid(score_2 - score_1));
}

TEST_F(BackdoorLossTest, TheBiasMayReproducePropensities) {
  const TrainableModel stage = build("{target: propensity}").stages()[2];
  EXPECT_NEAR(loss(stage), attention_rank(1, std::exp(-1.25 + 0.25), 2 + 0.5, 0.5 - 0.75), 1e-6);
}

TEST_F(BackdoorLossTest, EveryStageHasItsLoss) {
  const std::vector<TrainableModel> stages = build("{}").stages();
  EXPECT_NEAR(loss(stages[0]), -std::log(1 - sigmoid(-0.25)) - std::log(sigmoid(1.5 - 1.25)), 1e-6);
  EXPECT_NEAR(loss(stages[1]), attention_rank(1, 1 / 3., 2, 0.5), 1e-6);
  EXPECT_NEAR(loss(stages[2]), attention_rank(-0.25, -1.25, 2 + 0.5, 0.5 - 0.75), 1e-6);
  // The bias logits are 2.5 and -0.25.
  EXPECT_NEAR(loss(stages[3]), -std::log(1 - sigmoid(0.25 + 2.5)) - std::log(sigmoid(-0.5 - 0.25)),
              1e-6);
}

TEST_F(BackdoorLossTest, TheLastStageMayUseALossOfLists) {
  for (const std::string base : {"softmax", "lambdarank"}) {
    const std::vector<TrainableModel> stages = build("{base: " + base + "}").stages();
    EXPECT_FALSE(stages[3].story().predicts_clicks());
    const double pair = -std::log(sigmoid((-0.5 - 0.25) - (0.25 + 2.5)));
    EXPECT_NEAR(loss(stages[3]), base == "softmax" ? pair : pair * (1 - 1 / std::log2(3)), 1e-6);
  }
}

TEST_F(BackdoorLossTest, TheEstimateMayBeThatOfDualLearning) {
  const std::vector<TrainableModel> stages = build("{estimate: dla}").stages();
  EXPECT_FALSE(stages[0].story().predicts_clicks());
  EXPECT_NEAR(loss(stages[2]), attention_rank(-0.25, -1.25, 2 + 0.5, 0.5 - 0.75), 1e-6);
}

FeatureTable normal_features() {
  std::vector<float> features(3, 0.f);
  RandomStream random(1, RandomPurpose::testing, 0, 0);
  while (features.size() < 9) features.push_back(static_cast<float>(random.normal()));
  return {std::move(features), 3};
}

TEST_F(BackdoorLossTest, EncodingsAreAsWideAsThePolicysFirstLayer) {
  const TrainableModel model =
      testing::build_loss("backdoor", {.rows = 3, .positions = 3, .features = normal_features()},
                          "{policy: {type: mlp, widths: [5, 4]}}");
  EXPECT_EQ(testing::parameter_called(model, "position_encoding").rows(), 3);
  EXPECT_EQ(testing::parameter_called(model, "position_encoding").columns(), 5);
}

/// Dropout applies only to layers that the stage trains.
TEST_F(BackdoorLossTest, FrozenLayersHaveNoDropout) {
  const std::string tower = "{type: mlp, widths: [5], dropout: 0.5}";
  for (const std::string estimate : {"two_tower", "dla"}) {
    const TrainableModel model =
        testing::build_loss("backdoor", {.rows = 3, .positions = 3, .features = normal_features()},
                            "{estimate: " + estimate + ", estimated_examination: " + tower +
                                ", policy: " + tower + "}");
    testing::randomise(model, -1, 1, 3);
    for (const TrainableModel& stage : {model.stages()[2], model.stages()[3]}) {
      ClickPrograms training(stage, ProgramKind::training_loss, Precision::float64);
      EXPECT_EQ(training.run(two_documents(), {.step = 1}).loss(),
                training.run(two_documents(), {.step = 2}).loss())
          << stage.type();
    }
  }
}

/// Returns what a policy of features learned of positions, from a table of these documents.
std::vector<double> position_bias_over(const std::vector<int>& documents) {
  std::vector<float> features(3, 0.f);
  for (const int document : documents) {
    RandomStream random(1, RandomPurpose::testing, static_cast<std::uint32_t>(document), 0);
    for (int i = 0; i < 3; ++i) features.push_back(static_cast<float>(random.normal()));
  }
  const TrainableModel model =
      testing::build_loss("backdoor",
                          {.rows = static_cast<std::int64_t>(documents.size()) + 1,
                           .positions = 3,
                           .features = FeatureTable(std::move(features), 3)},
                          "{policy: {type: mlp, widths: [5, 4]}}");
  for (Parameter* parameter : model.parameters()) {
    if (!parameter->name().starts_with("policy") && parameter->name() != "position_encoding")
      continue;  // they have an entry per document
    std::vector<float> values(static_cast<std::size_t>(parameter->rows() * parameter->columns()));
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<float>(std::sin(static_cast<double>(i) + 1));
    parameter->assign(values);
  }
  return learned_position_bias(model)->by_rank;
}

TEST_F(BackdoorLossTest, PositionEffectsAreMeansOverDocuments) {
  const std::vector<double> first = position_bias_over({1}), second = position_bias_over({2}),
                            third = position_bias_over({3}), all = position_bias_over({1, 2, 3});
  for (std::size_t k = 0; k < 3; ++k)
    EXPECT_NEAR(all[k], (first[k] + second[k] + third[k]) / 3, 1e-6) << k;
  EXPECT_GT(std::abs(first[1] - second[1]), 1e-3);
}

TEST_F(BackdoorLossTest, ManyDocumentsAreSampledAtEvenDistances) {
  std::vector<int> all(600), sampled;
  std::iota(all.begin(), all.end(), 1);
  for (int i = 0; i < 256; ++i) sampled.push_back(1 + i * 600 / 256);
  EXPECT_EQ(position_bias_over(all), position_bias_over(sampled));
}

/// A stage can be used after the model that it belongs to is gone.
TEST_F(BackdoorLossTest, StagesOutliveTheirModel) {
  const TrainableModel policy = build("{}").stages()[1];
  EXPECT_GT(loss(policy), 0);
}

}  // namespace
}  // namespace ultr::backdoor_test
