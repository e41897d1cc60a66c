#include "losses/backdoor.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"
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
    set("examination", 0, 0.5);
    set("examination", 2, -0.75);
    set("policy_effect.weights", 0, 0.125);
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
                                   "examination policy_effect ", "relevance "));
}

TEST_F(BackdoorLossTest, EveryStageHasItsLoss) {
  const std::vector<TrainableModel> stages = build("{}").stages();
  EXPECT_NEAR(loss(stages[0]), -std::log(1 - sigmoid(-0.25)) - std::log(sigmoid(1.5 - 1.25)), 1e-6);
  const double top = 1 / (1 + 1 / 3.);  // share of the first of the labels 1 and 1/3
  const double log_sum = std::log(std::exp(2.) + std::exp(0.5));
  EXPECT_NEAR(loss(stages[1]), -top * (2 - log_sum) - (1 - top) * (0.5 - log_sum), 1e-6);
  const auto cross_entropy = [](double target, double p) {
    return -target * std::log(p) - (1 - target) * std::log(1 - p);
  };
  EXPECT_NEAR(loss(stages[2]),
              cross_entropy(sigmoid(-0.25), sigmoid(0.5 + 0.125 * 2)) +
                  cross_entropy(sigmoid(-1.25), sigmoid(-0.75 + 0.125 * 0.5)),
              1e-6);
  EXPECT_NEAR(loss(stages[3]), -std::log(1 - sigmoid(0.25 + 0.5)) - std::log(sigmoid(-0.5 - 0.75)),
              1e-6);
}

TEST_F(BackdoorLossTest, DualLearningEstimatesRelativeToTheFirstDocument) {
  const std::vector<TrainableModel> stages = build("{estimate: dla}").stages();
  EXPECT_FALSE(stages[0].story().predicts_clicks());
  const auto cross_entropy = [](double target, double p) {
    return -target * std::log(p) - (1 - target) * std::log(1 - p);
  };
  EXPECT_NEAR(loss(stages[2]),
              cross_entropy(1, sigmoid(0.5 + 0.125 * 2)) +
                  cross_entropy(std::exp(-1.), sigmoid(-0.75 + 0.125 * 0.5)),
              1e-6);
}

FeatureTable normal_features() {
  std::vector<float> features(3, 0.f);
  RandomStream random(1, RandomPurpose::testing, 0, 0);
  while (features.size() < 9) features.push_back(static_cast<float>(random.normal()));
  return {std::move(features), 3};
}

TEST_F(BackdoorLossTest, TheEffectOfThePolicyIsAWeightedSumOfItsLastHiddenLayer) {
  const TrainableModel model =
      testing::build_loss("backdoor", {.rows = 3, .positions = 3, .features = normal_features()},
                          "{policy: {type: mlp, widths: [5, 4]}}");
  EXPECT_EQ(testing::parameter_called(model, "policy_effect.weights").rows(), 4);
}

/// Dropout applies only to layers that the stage trains.
TEST_F(BackdoorLossTest, FrozenLayersHaveNoDropout) {
  const std::string tower = "{type: mlp, widths: [5], dropout: 0.5}";
  for (const std::string estimate : {"two_tower", "dla"}) {
    const TrainableModel model =
        testing::build_loss("backdoor", {.rows = 3, .positions = 3, .features = normal_features()},
                            "{estimate: " + estimate + ", estimated_examination: " + tower +
                                ", policy: " + tower + "}");
    const TrainableModel towers_of_bias =
        testing::build_loss("backdoor", {.rows = 3, .positions = 3, .features = normal_features()},
                            "{estimate: " + estimate + ", examination: " + tower + "}");
    testing::randomise(towers_of_bias, -1, 1, 3);
    for (const TrainableModel& stage : {model.stages()[2], towers_of_bias.stages()[3]}) {
      ClickPrograms training(stage, ProgramKind::training_loss, Precision::float64);
      EXPECT_EQ(training.run(two_documents(), {.step = 1}).loss(),
                training.run(two_documents(), {.step = 2}).loss())
          << stage.type();
    }
  }
}

/// A stage can be used after the model that it belongs to is gone.
TEST_F(BackdoorLossTest, StagesOutliveTheirModel) {
  const TrainableModel policy = build("{}").stages()[1];
  EXPECT_GT(loss(policy), 0);
}

}  // namespace
}  // namespace ultr::backdoor_test
