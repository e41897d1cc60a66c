#include "dsl/learned_position_bias.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "models/model_fixture.h"

namespace ultr::learned_position_bias_test {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::Pointwise;

const ModelSetting three_positions = {.rows = 3, .positions = 3};
const std::vector<float> logits = {0.5f, -1.f, -2.f};

TrainableModel build_loss(const std::string& type, const std::string& options = "{}",
                          const ModelSetting& setting = three_positions) {
  const Choice loss(testing::registry().losses(), type);
  testing::configure(*loss.options, options);
  return loss.as<ModelOptions>().build(setting);
}

PositionBias learned(const TrainableModel& model, const std::string& parameter = "examination") {
  testing::parameter_called(model, parameter).assign(logits);
  return learned_position_bias(model).value();
}

void expect_near(const PositionBias& bias, bool additive, const std::vector<double>& expected) {
  EXPECT_EQ(bias.additive, additive);
  EXPECT_THAT(bias.by_rank, Pointwise(DoubleNear(1e-6), expected));
}

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

TEST(LearnedPositionBiasTest, AdditiveLogitsAreRelativeToTheFirst) {
  expect_near(learned(testing::build_model("two_tower", three_positions)), true, {0, -1.5, -2.5});
  expect_near(learned(build_loss("two_tower")), true, {0, -1.5, -2.5});
  expect_near(learned(build_loss("backdoor"), "position_encoding"), true, {0, -1.5, -2.5});
  expect_near(learned(build_loss("logging_policy_weights")), true, {0, -1.5, -2.5});
}

TEST(LearnedPositionBiasTest, ProbabilitiesAreRelativeToTheFirst) {
  const std::vector<double> expected = {1, sigmoid(-1) / sigmoid(0.5), sigmoid(-2) / sigmoid(0.5)};
  expect_near(learned(testing::build_model("pbm", three_positions)), false, expected);
  expect_near(learned(build_loss("pbm")), false, expected);
  expect_near(learned(build_loss("regression_em")), false, expected);
  expect_near(learned(build_loss("two_tower", "{combination: multiplicative}")), false, expected);
  expect_near(learned(build_loss("logging_policy_weights", "{base: pbm}")), false, expected);
}

TEST(LearnedPositionBiasTest, PropensitiesAreRelativeToTheFirst) {
  expect_near(learned(build_loss("dla")), false, {1, std::exp(-1.5), std::exp(-2.5)});
}

TEST(LearnedPositionBiasTest, ModelsWithoutItHaveNone) {
  EXPECT_FALSE(learned_position_bias(testing::build_model("ubm", three_positions)));
  EXPECT_FALSE(learned_position_bias(build_loss("naive")));
  EXPECT_FALSE(learned_position_bias(build_loss("logging_policy_weights", "{base: pointwise}")));
}

TEST(LearnedPositionBiasTest, ComesFromAnyLayer) {
  for (const std::string layer : {"table", "embedding", "linear", "{type: mlp, widths: [4]}"}) {
    const TrainableModel model = build_loss("two_tower", "{examination: " + layer + "}");
    testing::randomise(model, 0, 1, 3);
    const PositionBias bias = learned_position_bias(model).value();
    for (std::size_t k = 0; k < 3; ++k) {
      const auto logit = [&](std::size_t at) {
        const double p = testing::probability_of(model, "examination", at);
        return std::log(p) - std::log1p(-p);
      };
      if (layer == "table" || layer == "embedding") {
        EXPECT_NEAR(bias.by_rank[k], logit(k) - logit(0), 1e-5) << layer;
      }
    }
    EXPECT_EQ(bias.by_rank[0], 0) << layer;
    EXPECT_NE(bias.by_rank[1], bias.by_rank[2]) << layer;
  }
  const TrainableModel one = build_loss("two_tower", "{}", {.rows = 2, .positions = 1});
  EXPECT_THAT(learned_position_bias(one).value().by_rank, ElementsAre(0));
}

/// A tower that reads bias features gives each document another position effect.
TEST(LearnedPositionBiasTest, BiasFeaturesAreReadByTowersOnly) {
  const ModelSetting setting = {
      .rows = 2, .positions = 3, .features = {std::vector<float>{0, 0, 1, 2}, 2, 1}};
  EXPECT_FALSE(learned_position_bias(build_loss("two_tower", "{examination: linear}", setting)));
  EXPECT_TRUE(learned_position_bias(build_loss("two_tower", "{examination: table}", setting)));
}

TEST(LearnedPositionBiasTest, ErrorIsTheMeanSquare) {
  const PositionBias a = {.additive = true, .by_rank = {0, -1, -2}},
                     b = {.additive = true, .by_rank = {0, -1.5, -4}};
  EXPECT_DOUBLE_EQ(mean_squared_error(a, b), (0.5 * 0.5 + 2 * 2) / 3);
  EXPECT_THROW(mean_squared_error(a, {.additive = false, .by_rank = {1, 1, 1}}), Error);
  EXPECT_THROW(mean_squared_error(a, {.additive = true, .by_rank = {1, 1}}), Error);
  EXPECT_THROW(mean_squared_error({}, {}), Error);
}

}  // namespace
}  // namespace ultr::learned_position_bias_test
