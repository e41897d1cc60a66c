#include "layers/position_encoding.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "autograd/ops/reductions.h"
#include "layers/layers.h"
#include "layers/listed_inputs.h"

namespace ultr::position_encoding_test {
namespace {

constexpr std::int64_t positions = testing::entries_of_small_domains;

std::shared_ptr<LogitLayer> layer_of(const OptionType& type, Domain domain) {
  const auto options = type.make();
  return dynamic_cast<const LayerOptions&>(*options).build(
      {.name = "layer",
       .domain = domain,
       .entries = testing::entries_of_small_domains,
       .features = testing::listed_columns(domain),
       .seed = 3});
}

std::shared_ptr<LogitLayer> small_tower() {
  MlpTowerOptions options;
  options.hidden.widths = {3, 2};
  options.hidden.activation = "tanh";
  return options.build({.name = "layer",
                        .domain = Domain::document,
                        .features = testing::listed_feature_count,
                        .seed = 3});
}

/// Logits of documents 1, 2 and 5, displayed at positions of the same numbers.
std::vector<double> logits_of(const LogitLayer& layer) {
  Tape tape(Precision::float64);
  const testing::ListedInputs inputs(tape, {1, 2, 5});
  const Tensor logits = inputs.logits_of(layer);
  tape.require(std::array{logits});
  tape.replay();
  return logits.values();
}

TEST(PositionEncodingTest, BeginsAsTheLayerItself) {
  for (const OptionType& type : layer_types()) {
    if (type.name == "table" || type.name == "transformer") continue;  // it reads words
    SCOPED_TRACE(type.name);
    const auto layer = layer_of(type, Domain::document);
    const PositionEncoding encoded(layer, "encoding", positions);
    const std::vector<double> own = logits_of(*layer), all = logits_of(encoded);
    ASSERT_EQ(all.size(), own.size());
    for (std::size_t i = 0; i < all.size(); ++i) EXPECT_NEAR(all[i], own[i], 1e-6);
  }
}

TEST(PositionEncodingTest, IsAddedBeforeTheFirstActivation) {
  const auto tower = small_tower();
  PositionEncoding encoded(tower, "encoding", positions);
  EXPECT_EQ(encoded.parameters().front()->columns(), 3);
  const std::vector<double> before = logits_of(encoded);
  // The first affine layer's biases, moved by what is added at position 2.
  std::vector<float> encodings(positions * 3);
  for (std::size_t j = 0; j < 3; ++j) encodings[2 * 3 + j] = 0.25f * static_cast<float>(j + 1);
  encoded.parameters().front()->assign(encodings);
  const std::vector<double> after = logits_of(encoded);
  for (std::int64_t j = 0; j < 3; ++j)
    tower->parameters()[1]->value(j) += 0.25f * static_cast<float>(j + 1);
  const std::vector<double> moved = logits_of(*tower);
  EXPECT_NEAR(after[0], before[0], 1e-12);
  EXPECT_NEAR(after[1], moved[1], 1e-6);
  EXPECT_GT(std::abs(after[1] - before[1]), 1e-3);
  EXPECT_NEAR(after[2], before[2], 1e-12);
}

TEST(PositionEncodingTest, NoGradientReachesTheLayer) {
  for (const OptionType& type : layer_types()) {
    if (type.name == "table" || type.name == "transformer") continue;  // it reads words
    SCOPED_TRACE(type.name);
    PositionEncoding encoded(layer_of(type, Domain::document), "encoding", positions);
    Tape tape(Precision::float64);
    const testing::ListedInputs inputs(tape, {1, 2, 5});
    const Tensor loss = sum(inputs.logits_of(encoded));
    tape.require(std::array{loss});
    tape.replay();
    tape.backward(loss);
    ASSERT_FALSE(tape.dense_gradients().empty());
    for (const DenseGradient& gradient : tape.dense_gradients())
      EXPECT_EQ(gradient.parameter, &encoded.parameters().front()->view());
    EXPECT_TRUE(tape.sparse_gradients().empty());
  }
}

TEST(MeanPositionEncodingTest, AveragesOverDocumentsAtEachPosition) {
  const auto encoded = std::make_shared<PositionEncoding>(small_tower(), "encoding", positions);
  std::vector<float> encodings;
  for (int i = 0; i < positions * 3; ++i)
    encodings.push_back(0.1f * static_cast<float>(i % 7) - 0.3f);
  encoded->parameters().front()->assign(encodings);
  std::vector<double> features;  // of documents 1 to 5
  const FeatureTable documents_of_table = testing::listed_features();
  for (std::int64_t row = 1; row <= 5; ++row)
    for (const float feature : documents_of_table.row(row)) features.push_back(feature);
  const MeanPositionEncoding mean(encoded, features, documents_of_table.relevance_count());
  Tape tape(Precision::float64);
  const testing::ListedInputs inputs(tape, {1, 2, 5});
  const Tensor logits = inputs.logits_of(mean);
  tape.require(std::array{logits});
  tape.replay();
  const std::vector<double> means = logits.values();
  // Documents 1 to 5 of the table, with the encodings of positions 1, 2 and 5 at all of them.
  for (std::size_t at = 0; const std::size_t k : {1, 2, 5}) {
    std::vector<float> everywhere;
    for (std::size_t i = 0; i < positions * 3; ++i) everywhere.push_back(encodings[k * 3 + i % 3]);
    encoded->parameters().front()->assign(everywhere);
    Tape all(Precision::float64);
    const testing::ListedInputs documents(all, {1, 2, 3, 4, 5});
    const Tensor each = documents.logits_of(*encoded);
    all.require(std::array{each});
    all.replay();
    double sum = 0;
    for (const double logit : each.values()) sum += logit;
    EXPECT_NEAR(means[at++], sum / 5, 1e-6);
  }
}

TEST(MeanPositionEncodingTest, LayersWithoutFeaturesHaveTheEncodingsThemselves) {
  for (const OptionType& type : layer_types()) {
    if (type.name != "embedding") continue;
    const auto encoded =
        std::make_shared<PositionEncoding>(layer_of(type, Domain::document), "encoding", positions);
    encoded->parameters().front()->value(2) = 0.5f;
    const std::vector<double> logits = logits_of(MeanPositionEncoding(encoded, {}, 0));
    EXPECT_EQ(logits, (std::vector<double>{0, 0.5, 0}));
  }
}

}  // namespace
}  // namespace ultr::position_encoding_test
