#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "layers/layers.h"
#include "layers/listed_inputs.h"
#include "layers/tower.h"
#include "options/config_tree.h"
#include "options/read.h"

// Properties of every type of tower. Properties of all layers are tested in layers_test.cpp.

namespace ultr::towers_test {
namespace {

using ::testing::ElementsAre;
using testing::logits_of;
using ::testing::ThrowsMessage;

LayerSetting documents(std::int64_t features = testing::listed_feature_count) {
  return {.name = "relevance",
          .domain = Domain::document,
          .entries = 6,
          .features = features,
          .start = 0.5,
          .seed = 3};
}

LayerSetting ranks(std::int64_t positions) {
  return {.name = "examination",
          .domain = Domain::rank,
          .entries = positions,
          .features = positions,
          .seed = 3};
}

std::unique_ptr<LogitLayer> build(const std::string& type, const std::string& yaml,
                                  const LayerSetting& setting) {
  const Choice choice(layer_types(), type);
  read_options(parse_config(yaml, "test"), *choice.options);
  return choice.as<LayerOptions>().build(setting);
}

const Parameter& called(LogitLayer& layer, const std::string& name) {
  for (const Parameter* parameter : layer.parameters())
    if (parameter->name() == name) return *parameter;
  throw std::runtime_error("no parameter called " + name);
}

class TowersTest : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(All, TowersTest, ::testing::Values("linear", "mlp", "deep_cross"));

TEST_P(TowersTest, NeedFeaturesOfDocuments) {
  for (const Domain domain : {Domain::document, Domain::document_rank}) {
    LayerSetting setting = documents(0);
    setting.domain = domain;
    EXPECT_THAT([&] { build(GetParam(), "{}", setting); },
                ThrowsMessage<ConfigError>("relevance: '" + GetParam() +
                                           "' needs features, which the data do not have"));
  }
}

TEST_P(TowersTest, AreOverFewEntriesWithoutFeatures) {
  EXPECT_NO_THROW(build(GetParam(), "{}", ranks(50)));
  EXPECT_THAT(
      [&] { build(GetParam(), "{}", ranks(largest_identity + 1)); },
      ThrowsMessage<ConfigError>("examination: '" + GetParam() +
                                 "' over 1025 entries (one per rank); expected at most 1024"));
}

TEST_P(TowersTest, OverRanksAreEvaluatedOncePerEntry) {
  const auto tower = build(GetParam(), "{}", ranks(testing::entries_of_small_domains));
  Tape tape;
  const testing::ListedInputs inputs(tape, {2, 0, 0, 1});
  const Logits logits = tower->logits(inputs);
  EXPECT_EQ(logits.values.shape(), Shape::vector(testing::entries_of_small_domains));
  ASSERT_TRUE(logits.per_document);
  EXPECT_EQ(logits.per_document->node, inputs.index(Domain::rank).node);
}

TEST_P(TowersTest, OnlyWeightsDecay) {
  const auto tower = build(GetParam(), "{}", documents());
  for (const Parameter* parameter : tower->parameters())
    EXPECT_EQ(parameter->decays(), parameter->name().ends_with("weights")) << parameter->name();
}

TEST_P(TowersTest, WeightsDependOnTheSeedAndTheNumberOfTheParameter) {
  const auto weights = [&](std::uint64_t seed, std::uint32_t number) {
    LayerSetting setting = documents();
    setting.seed = seed;
    setting.number = number;
    return build(GetParam(), "{}", setting)->parameters().front()->values();
  };
  EXPECT_EQ(weights(1, 0), weights(1, 0));
  EXPECT_NE(weights(1, 0), weights(2, 0));
  EXPECT_NE(weights(1, 0), weights(1, 1));
}

/// Checks variance and mean of weights drawn from a normal distribution around 0.
void expect_variance(const Parameter& weights, double variance) {
  double square = 0, sum = 0;
  for (const float w : weights.values()) {
    square += static_cast<double>(w) * static_cast<double>(w);
    sum += static_cast<double>(w);
  }
  const auto n = static_cast<double>(weights.values().size());
  EXPECT_NEAR(square / n, variance, 4 * variance * std::sqrt(2 / n)) << weights.name();
  EXPECT_NEAR(sum / n, 0, 4 * std::sqrt(variance / n)) << weights.name();
}

TEST(HiddenLayersTest, StartWithTheVarianceThatSuitsTheActivation) {
  const LayerSetting setting = documents(300);
  for (const std::string type : {"mlp", "deep_cross"})
    for (const std::string activation : {"relu", "elu", "tanh"})
      for (const std::string chosen : {"usual", "he", "glorot"}) {
        SCOPED_TRACE(type + " " + activation + " " + chosen);
        const auto tower = build(
            type,
            "{widths: [200, 100], activation: " + activation + ", initialisation: " + chosen + "}",
            setting);
        const bool he = chosen == "he" || (chosen == "usual" && activation != "tanh");
        expect_variance(called(*tower, "relevance.hidden_1.weights"),
                        he ? 2. / 300 : 2. / (300 + 200));
        expect_variance(called(*tower, "relevance.hidden_2.weights"),
                        he ? 2. / 200 : 2. / (200 + 100));
        expect_variance(called(*tower, "relevance.output.weights"), 2. / (100 + 1));
      }
  const auto tower = build("deep_cross", "{structure: parallel, widths: [200, 100]}", setting);
  expect_variance(called(*tower, "relevance.cross_2.weights"), 2. / (300 + 300));
  expect_variance(called(*tower, "relevance.output.weights"), 2. / (300 + 100 + 1));
  expect_variance(called(*build("linear", "{}", setting), "relevance.weights"), 2. / (300 + 1));
}

TEST(HiddenLayersTest, RefuseOptionsThatDoNotFitTogether) {
  for (const std::string type : {"mlp", "deep_cross"}) {
    EXPECT_THAT([&] { build(type, "{widths: []}", documents()); },
                ThrowsMessage<ConfigError>(
                    "relevance: widths has 0 numbers; expected 1 to 64, one per hidden layer"));
    EXPECT_THAT([&] { build(type, "{widths: [4, 3, 2], dropout: [0, 0.1]}", documents()); },
                ThrowsMessage<ConfigError>("relevance: dropout has 2 numbers; expected one, or one "
                                           "for each of 3 hidden layers"));
    for (const std::string wrong :
         {"{widths: [0]}", "{widths: [2.5]}", "{dropout: 1}", "{dropout: [-0.1]}",
          "{activation: step}", "{initialisation: zero}", "{width: 4}"})
      EXPECT_THROW(build(type, wrong, documents()), ConfigError) << wrong;
  }
  EXPECT_THROW(build("deep_cross", "{cross_layers: 0}", documents()), ConfigError);
  EXPECT_THROW(build("deep_cross", "{structure: beside}", documents()), ConfigError);
}

/// Sets all values of the parameter called `name`.
void assign(LogitLayer& layer, const std::string& name, const std::vector<float>& values) {
  for (Parameter* parameter : layer.parameters())
    if (parameter->name() == name) parameter->assign(values);
}

/// The features of the second listed document.
std::span<const float> features_of_1() {
  static const FeatureTable features = testing::listed_features();
  return features.row(1);
}

TEST(LinearTowerTest, IsTheWeightedSumOfFeatures) {
  const auto tower = build("linear", "{}", documents());
  assign(*tower, "relevance.weights", {1, 2, 3, 4, 5});
  assign(*tower, "relevance.bias", {-1});
  const auto x = features_of_1();
  EXPECT_NEAR(logits_of(*tower, {1})[0], 1 * x[0] + 2 * x[1] + 3 * x[2] + 4 * x[3] + 5 * x[4] - 1,
              1e-6);
}

TEST(MlpTowerTest, IsItsFormula) {
  const auto tower = build("mlp", "{widths: [1, 2], activation: elu}", documents());
  assign(*tower, "relevance.hidden_1.weights", {1, 0, -1, 0, 2});
  assign(*tower, "relevance.hidden_1.bias", {0.25});
  assign(*tower, "relevance.hidden_2.weights", {1, -3});
  assign(*tower, "relevance.hidden_2.bias", {0.5, -0.5});
  assign(*tower, "relevance.output.weights", {2, -1});
  assign(*tower, "relevance.output.bias", {4});
  const auto elu = [](double v) { return v > 0 ? v : std::exp(v) - 1; };
  const auto x = features_of_1();
  const double hidden = elu(static_cast<double>(x[0] - x[2] + 2 * x[4]) + 0.25);
  EXPECT_NEAR(logits_of(*tower, {1})[0], 2 * elu(hidden + 0.5) - elu(-3 * hidden - 0.5) + 4, 1e-5);
}

TEST(DeepCrossTowerTest, IsItsFormula) {
  for (const bool parallel : {false, true}) {
    const auto tower = build("deep_cross",
                             std::string("{cross_layers: 1, widths: [1], activation: tanh") +
                                 (parallel ? ", structure: parallel}" : "}"),
                             documents());
    const auto x = features_of_1();
    // Each feature is crossed with the one after it, and the last with none.
    std::vector<float> next(25), weights(parallel ? 6 : 1, 2.0f);
    for (std::size_t c = 0; c + 1 < 5; ++c) next[(c + 1) * 5 + c] = 1;
    assign(*tower, "relevance.cross_1.weights", next);
    assign(*tower, "relevance.cross_1.bias", {0, 0, 0, 0, 0.5});
    assign(*tower, "relevance.hidden_1.weights", {1, 1, 1, 1, 1});
    assign(*tower, "relevance.output.weights", weights);
    double crossed = 0, plain = 0;
    for (std::size_t c = 0; c < 5; ++c) {
      const double other = c + 1 < 5 ? static_cast<double>(x[c + 1]) : 0.5;
      crossed += static_cast<double>(x[c]) * other + static_cast<double>(x[c]);
      plain += static_cast<double>(x[c]);
    }
    const double expected =
        parallel ? 2 * (crossed + std::tanh(plain)) + 0.5 : 2 * std::tanh(crossed) + 0.5;
    EXPECT_NEAR(logits_of(*tower, {1})[0], expected, 1e-5);
  }
}

TEST(TowerDropoutTest, HappensOnlyWithNoise) {
  for (const std::string type : {"mlp", "deep_cross"}) {
    const auto with = build(type, "{widths: [16, 16], dropout: 0.5}", documents());
    const auto without = build(type, "{widths: [16, 16]}", documents());
    EXPECT_EQ(logits_of(*with, {1, 2, 3}), logits_of(*without, {1, 2, 3}));
    const auto noisy = [](const LogitLayer& layer, std::uint32_t seed) {
      Tape tape;
      testing::ListedInputs inputs(tape, {1, 2, 3});
      inputs.use_noise(seed);
      return inputs.logits_of(layer).values();
    };
    EXPECT_EQ(noisy(*without, 1), logits_of(*without, {1, 2, 3}));
    EXPECT_NE(noisy(*with, 1), logits_of(*with, {1, 2, 3}));
    EXPECT_NE(noisy(*with, 1), noisy(*with, 2));
    EXPECT_EQ(noisy(*with, 1), noisy(*with, 1));
  }
}

TEST(TowerDropoutTest, LayersAndParametersDrawDifferentNumbers) {
  // Hidden layers pass their inputs on, so that results differ only in what is dropped.
  const auto dropped = [](const std::string& rates, std::uint32_t number) {
    LayerSetting setting = documents();
    setting.number = number;
    const auto tower =
        build("mlp", "{widths: [40, 40], activation: tanh, dropout: [" + rates + "]}", setting);
    std::vector<float> identity(40 * 40);
    for (std::size_t i = 0; i < 40; ++i) identity[i * 41] = 1;
    assign(*tower, "relevance.hidden_1.bias", std::vector<float>(40, 1.0f));
    assign(*tower, "relevance.hidden_2.weights", identity);
    Tape tape;
    testing::ListedInputs inputs(tape, {0});
    inputs.use_noise(1);
    const auto values = dynamic_cast<const Tower&>(*tower).representation(inputs).values();
    std::vector<bool> zero;
    for (const double x : values) zero.push_back(x == 0);
    return zero;
  };
  const auto first = dropped("0.5, 0", 0);
  EXPECT_THAT(first, ::testing::Contains(true));
  EXPECT_EQ(dropped("0.5, 0", 0), first);
  EXPECT_NE(dropped("0, 0.5", 0), first);
  EXPECT_NE(dropped("0.5, 0", 1), first);
}

TEST(TowerTest, ParametersAreNamedAfterTheirLayers) {
  const auto names = [](const std::string& type, const std::string& yaml) {
    std::vector<std::string> all;
    const auto tower = build(type, yaml, documents());
    for (const Parameter* parameter : tower->parameters()) all.push_back(parameter->name());
    return all;
  };
  EXPECT_THAT(names("linear", "{}"), ElementsAre("relevance.weights", "relevance.bias"));
  EXPECT_THAT(names("mlp", "{widths: [2]}"),
              ElementsAre("relevance.hidden_1.weights", "relevance.hidden_1.bias",
                          "relevance.output.weights", "relevance.output.bias"));
  EXPECT_THAT(names("deep_cross", "{widths: [2], cross_layers: 1}"),
              ElementsAre("relevance.cross_1.weights", "relevance.cross_1.bias",
                          "relevance.hidden_1.weights", "relevance.hidden_1.bias",
                          "relevance.output.weights", "relevance.output.bias"));
}

}  // namespace
}  // namespace ultr::towers_test
