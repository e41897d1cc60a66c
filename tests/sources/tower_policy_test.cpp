#include "sources/tower_policy.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "data/features/feature_lists_builder.h"
#include "layers/layers.h"
#include "models/model_fixture.h"
#include "testing/errors.h"

namespace ultr::tower_policy_test {
namespace {

/// Lists of ten documents with two features, uniform on [-1, 1); relevance is 2 + 2 x0 x1.
struct Learnable {
  FeatureLists lists;
  std::vector<double> relevance;

  explicit Learnable(std::uint64_t seed) {
    FeatureListsBuilder builder(2);
    RandomStream random(seed, RandomPurpose::testing, 0, 0);
    for (std::uint64_t l = 0; l < 200; ++l) {
      builder.start_list(l);
      for (int k = 0; k < 10; ++k) {
        const auto row = builder.add({}, 2);
        for (float& x : row) x = static_cast<float>(2 * random.uniform() - 1);
        relevance.push_back(2 + 2. * row[0] * row[1]);
      }
    }
    lists = builder.build();
  }
};

/// Returns the share of the variance of relevance that scores explain.
double r_squared(const std::vector<double>& scores, const std::vector<double>& relevance) {
  double mean = 0, error = 0, variance = 0;
  for (const double y : relevance) mean += y / static_cast<double>(relevance.size());
  for (std::size_t i = 0; i < scores.size(); ++i) {
    error += std::pow(scores[i] - relevance[i], 2);
    variance += std::pow(relevance[i] - mean, 2);
  }
  return 1 - error / variance;
}

std::unique_ptr<Options> policy(const std::string& config) {
  auto made = tower_policy(layer_types()).make();
  testing::configure(*made, config);
  return made;
}

std::vector<double> scores_of(const std::string& config, const PolicyTraining& training,
                              const Learnable& of) {
  const auto made = policy(config);
  return dynamic_cast<LoggingPolicyOptions&>(*made).fit(training)(
      of.lists, std::vector<double>(of.relevance.size()));
}

TEST(TowerPolicyTest, ScoresAreOnTheScaleOfRelevance) {
  const Learnable train(1), test(2);
  const PolicyTraining training = {train.lists, train.relevance};
  EXPECT_GT(r_squared(scores_of("{epochs: 60}", training, test), test.relevance), 0.9);
  EXPECT_LT(r_squared(scores_of("{relevance: linear, epochs: 60}", training, test), test.relevance),
            0.1)
      << "a product is not linear";
}

TEST(TowerPolicyTest, ASeedGivesTheSameScoresOnAnyNumberOfThreads) {
  const Learnable train(1), test(2);
  const auto scores = [&](std::uint64_t seed, int threads) {
    return scores_of("{epochs: 2}", {train.lists, train.relevance, seed, threads}, test);
  };
  EXPECT_EQ(scores(1, 1), scores(1, 3));
  EXPECT_NE(scores(1, 1), scores(2, 1));
}

TEST(TowerPolicyTest, DeclaresTheOptionsOfPolicies) {
  const auto made = policy("{strength: -0.5, temperature: 0.2, learning_rate: 0.01}");
  const auto& options = dynamic_cast<const LoggingPolicyOptions&>(*made);
  EXPECT_EQ(options.strength, -0.5);
  EXPECT_TRUE(options.draws_orders());
  for (const std::string wrong : {"{epochs: 0}", "{learning_rate: 0}", "{batch_size: 0}"})
    EXPECT_THROW(policy(wrong), ConfigError) << wrong;
}

TEST(TowerPolicyTest, TablesOfDocumentsAreRefused) {
  std::vector<std::string> refused;
  for (const OptionType& layer : layer_types()) {
    const auto made = policy("{relevance: " + layer.name + "}");
    try {
      dynamic_cast<LoggingPolicyOptions&>(*made).check();
    } catch (const ConfigError& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr("has a number for each document"));
      refused.push_back(layer.name);
    }
  }
  EXPECT_THAT(refused, ::testing::UnorderedElementsAre("embedding", "table"));
}

TEST(TowerPolicyTest, NeedsFeatures) {
  FeatureListsBuilder builder;
  builder.start_list(1);
  builder.add({});
  const FeatureLists bare = builder.build();
  const std::vector<double> one = {1};
  const auto made = policy("{}");
  EXPECT_EQ(testing::data_message([&] {
              dynamic_cast<LoggingPolicyOptions&>(*made).fit({bare, one});
            }),
            "the lists have no features; expected some that a policy can learn from");
}

}  // namespace
}  // namespace ultr::tower_policy_test
