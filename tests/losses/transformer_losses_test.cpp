#include <cmath>

#include <gtest/gtest.h>

#include "base/random.h"
#include "dsl/programs/model_check.h"
#include "layers/sequence_encoder.h"
#include "losses/loss_variants.h"
#include "models/model_fixture.h"

// Ranking losses with a cross-encoder for relevance.

namespace ultr::transformer_losses_test {
namespace {

constexpr std::int64_t rows = 9, positions = 6, vocabulary = 14;

/// Documents with one feature and up to `most` words.
FeatureTable documents(std::size_t most) {
  RandomStream random(1, RandomPurpose::testing, 0, 0);
  TokenColumnsBuilder words;
  for (std::int64_t row = 1; row < rows; ++row) {
    std::vector<std::uint32_t> tokens;
    std::vector<std::uint8_t> types;
    const std::size_t count = random.below(most + 1);
    for (std::size_t i = 0; i < count; ++i) {
      tokens.push_back(static_cast<std::uint32_t>(5 + random.below(vocabulary - 4)));
      types.push_back(static_cast<std::uint8_t>(3 * i / count));
    }
    words.add(tokens, types);
  }
  FeatureTable table(std::vector<float>(rows, 0.0f), 1);
  table.set_tokens({words.build(), vocabulary});
  return table;
}

ModelSetting setting(const SessionLog& train, std::size_t most_words) {
  return {.rows = rows,
          .positions = positions,
          .seed = 5,
          .features = documents(most_words),
          .train = &train};
}

/// Builds a loss whose relevance is a small transformer.
TrainableModel build(testing::LossVariant loss, const ModelSetting& setting,
                     const std::string& transformer) {
  const std::string others = loss.options.substr(1, loss.options.size() - 2);
  loss.options = "{" + others + (others.empty() ? "" : ", ") +
                 "relevance: {type: transformer, layers: 1, width: 4, heads: 2, inner: 3, " +
                 transformer + "}}";
  TrainableModel model = testing::build_loss(loss, setting);
  testing::randomise(model, -1, 1, 3);
  return model;
}

class TransformerLossesTest
    : public ::testing::TestWithParam<std::tuple<testing::LossVariant, std::string>> {};

TEST_P(TransformerLossesTest, GradientsAgreeWithFiniteDifferences) {
  const SessionLog train = testing::uneven_lists(1);
  const auto& [loss, transformer] = GetParam();
  const TrainableModel model = build(loss, setting(train, 7), transformer);
  for (const TrainableModel& stage : model.stages()) {
    const GradientReport report = check_model_gradient(stage, testing::pack_all(train));
    EXPECT_GT(report.entries, 0u);
    EXPECT_LE(report.worst.error, 1e-8) << stage.type() << ": " << report.to_string();
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, TransformerLossesTest,
    ::testing::Combine(::testing::ValuesIn(testing::loss_variants()),
                       ::testing::Values("norm: post, activation: gelu, dropout: 0.2",
                                         "norm: pre, activation: gelu_tanh, max_tokens: 6")),
    [](const auto& test) {
      const bool pre = std::get<1>(test.param).starts_with("norm: pre");
      return std::get<0>(test.param).name + (pre ? "_pre" : "_post");
    });

TEST(TransformerTest, GradientsAgreeForEveryNormAndActivation) {
  const SessionLog train = testing::uneven_lists(1);
  for (const std::string norm : {"post", "pre"})
    for (const std::string& activation : transformer_activations()) {
      const TrainableModel model =
          build({"", "naive", "{}"}, setting(train, 7),
                "pretraining: masked_words, masked_share: 0.4, norm: " + norm +
                    ", activation: " + activation);
      ASSERT_EQ(model.stages().size(), 2u);
      for (const TrainableModel& stage : model.stages()) {
        const GradientReport report = check_model_gradient(stage, testing::pack_all(train));
        EXPECT_LE(report.worst.error, 1e-8)
            << norm << " " << activation << " " << stage.type() << ": " << report.to_string();
      }
    }
}

TEST(TransformerTest, JointPretrainingIsPartOfTheGradient) {
  const SessionLog train = testing::uneven_lists(1);
  for (const testing::LossVariant& loss : testing::loss_variants()) {
    const TrainableModel joint = build(loss, setting(train, 7),
                                       "norm: pre, dropout: 0.1, pretraining: joint, "
                                       "masked_share: 0.4, masked_weight: 0.3");
    const TrainableModel alone = build(loss, setting(train, 7), "norm: pre, dropout: 0.1");
    ASSERT_EQ(joint.stages().size(), alone.stages().size());
    for (const TrainableModel& stage : joint.stages()) {
      const GradientReport report = check_model_gradient(stage, testing::pack_all(train));
      EXPECT_LE(report.worst.error, 1e-8) << stage.type() << ": " << report.to_string();
    }
  }
}

TEST(TransformerTest, JointPretrainingAddsTheLossOfMaskedWordsInTraining) {
  const SessionLog train = testing::uneven_lists(1);
  const Shard shard = testing::pack_all(train);
  const auto loss_of = [&](ProgramKind kind, const std::string& pretraining) {
    const TrainableModel model =
        build({"", "naive", "{}"}, setting(train, 7),
              "dropout: 0, masked_share: 0.4, pretraining: " + pretraining);
    const TrainableModel stage = model.stages().front();
    ClickProgram program(stage, kind, shard.longest(), Precision::float64);
    program.run(shard);
    return program.loss();
  };
  const double ranking = loss_of(ProgramKind::training_loss, "none");
  const double words = loss_of(ProgramKind::training_loss, "masked_words");
  EXPECT_GT(words, 0);
  EXPECT_NEAR(loss_of(ProgramKind::training_loss, "joint, masked_weight: 0.5"),
              ranking + 0.5 * words, 1e-10 * (ranking + words));
  EXPECT_EQ(loss_of(ProgramKind::loss, "joint"), ranking);
}

TEST(TransformerTest, MaskedWordsAreCounted) {
  const SessionLog train = testing::uneven_lists(1);
  const Shard shard = testing::pack_all(train);
  const TrainableModel model =
      build({"", "naive", "{}"}, setting(train, 7), "pretraining: joint, masked_share: 0.4");
  const TrainableModel::Layer& layer = model.layers().front();
  const MaskedWordTask& words = *layer.layer->masked_words();
  const auto count = [&](const SequenceEncoder& encoder) {
    ClickProgram program(model.of_words(layer, encoder), ProgramKind::loss, shard.longest());
    program.run(shard);
    return -program.loss();
  };
  const double masked = count(*words.masked);
  EXPECT_GT(masked, 0);
  EXPECT_EQ(masked, std::round(masked));
  // All masked words are the same likeliest one if it has a bias beyond all others.
  double guessed = 0;
  for (Parameter* parameter : layer.layer->parameters()) {
    if (!parameter->name().ends_with("masked_bias")) continue;
    for (std::int64_t word = 0; word < vocabulary; ++word) {
      std::vector<float> bias(vocabulary, 0.0f);
      bias[static_cast<std::size_t>(word)] = 1000;
      parameter->assign(bias);
      guessed += count(*words.guessed);
    }
  }
  EXPECT_EQ(guessed, masked);
}

/// There is room for the words that chance masks, also where a block has less than one on average.
TEST(TransformerTest, AnyShareOfWordsMayBeMasked) {
  const SessionLog train = testing::uneven_lists(1);
  const Shard shard = testing::pack_all(train);
  for (const std::string share : {"0.0001", "0.9999"}) {
    const TrainableModel model = build({"", "naive", "{}"}, setting(train, 100),
                                       "pretraining: joint, masked_share: " + share);
    const TrainableModel::Layer& layer = model.layers().front();
    ClickProgram program(model.of_words(layer, *layer.layer->masked_words()->log_likelihood),
                         ProgramKind::training_loss, shard.longest());
    double loss = 0;
    for (std::uint32_t step = 0; step < 300; ++step) {  // each masks other words
      program.run(shard, {.step = step});
      loss += program.loss();
    }
    EXPECT_GT(loss, 0) << share;  // of the words that were masked
  }
}

TEST(TransformerTest, AFewEntriesOfEachParameterCanBeChecked) {
  const SessionLog train = testing::uneven_lists(1);
  const TrainableModel model = build({"", "naive", "{}"}, setting(train, 7), "norm: pre");
  EXPECT_TRUE(reads_words(model));
  const Shard shard = testing::pack_all(train);
  const GradientReport all = check_model_gradient(model, shard);
  const GradientReport some = check_model_gradient(model, shard, LossMean::documents, 3);
  // Each parameter has more than three entries, but the bias of the last layer.
  EXPECT_EQ(some.entries, 3 * model.parameters().size() - 2);
  EXPECT_GT(all.entries, 2 * some.entries);
  EXPECT_LE(some.worst.error, 1e-8) << some.to_string();
}

/// Runs the naive loss on all sessions and returns its loss and gradients, in float64.
std::pair<double, std::map<std::string, std::vector<double>>> run(const TrainableModel& model,
                                                                  const Shard& shard) {
  ClickProgram program(model, ProgramKind::training_loss, shard.longest(), Precision::float64);
  program.run(shard);
  const double loss = program.loss();
  program.backward(1);
  return {loss, testing::gradients_of(model, program)};
}

TEST(TransformerTest, AShardOfSeveralBlocksIsTheSumOfItsLists) {
  // Eight documents of up to 900 words are more tokens than a block has.
  const SessionLog train = testing::uneven_lists(1);
  const TrainableModel model = build({"", "naive", "{base: pointwise}"}, setting(train, 1800),
                                     "max_tokens: 1000, dropout: 0");
  const auto [whole, gradients] = run(model, testing::pack_all(train));
  double sum = 0;
  std::map<std::string, std::vector<double>> sums;
  for (std::uint32_t i = 0; i < train.sessions(); ++i) {
    Shard shard;
    shard.pack(train, std::span(&i, 1));
    const auto [loss, of_list] = run(model, shard);
    sum += loss;
    for (const auto& [name, values] : of_list) {
      sums[name].resize(values.size());
      for (std::size_t k = 0; k < values.size(); ++k) sums[name][k] += values[k];
    }
  }
  EXPECT_NEAR(whole, sum, 1e-10 * std::abs(sum));
  for (const auto& [name, values] : gradients)
    for (std::size_t k = 0; k < values.size(); ++k)
      ASSERT_NEAR(values[k], sums[name][k], 1e-9 * (1 + std::abs(sums[name][k]))) << name;
}

}  // namespace
}  // namespace ultr::transformer_losses_test
