#include <gtest/gtest.h>

#include "base/random.h"
#include "dsl/programs/model_check.h"
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
