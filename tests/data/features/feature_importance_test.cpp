#include "data/features/feature_importance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ultr::feature_importance_test {
namespace {

/// A tree with two splits on feature 2 and one on feature 0; feature 1 is not used.
const RegressionTree tree = {
    {.feature = 2, .value = 0, .left = 1, .right = 2, .gain = 8, .cover = 100},
    {.feature = 2, .value = -1, .left = 3, .right = 4, .gain = 2, .cover = 60},
    {.feature = 0, .value = 3, .left = 5, .right = 6, .gain = 4, .cover = 40},
    {.value = 1},
    {.value = 2},
    {.value = 3},
    {.value = 4}};

TEST(FeatureImportanceTest, MeansAreOverSplitsAndDocuments) {
  const std::vector<RegressionTree> trees = {tree, {{.value = 1}}};
  // Two documents: three features and the mean.
  const std::vector<float> contributions = {0.5f, 0, -0.1f, 9, -1.5f, 0, 0.3f, 9};
  const std::vector<std::string> names = {"price", "age", "rating"};
  const std::vector<std::int64_t> numbers = {1, 3, 4};
  const TreeImportance result =
      tree_importance("relevance", trees, 3, contributions, names, numbers);
  EXPECT_EQ(result.layer, "relevance");
  EXPECT_EQ(result.documents, 2u);
  ASSERT_EQ(result.features.size(), 3u);
  const auto &price = result.features[0], &rating = result.features[1], &age = result.features[2];
  EXPECT_EQ(price.name, "price");
  EXPECT_EQ(price.feature, 1);
  EXPECT_EQ(price.weight, 1);
  EXPECT_EQ(price.gain, 4);
  EXPECT_EQ(price.cover, 40);
  EXPECT_NEAR(price.contribution, 1, 1e-7);
  EXPECT_EQ(rating.name, "rating");
  EXPECT_EQ(rating.feature, 4);
  EXPECT_EQ(rating.weight, 2);
  EXPECT_EQ(rating.gain, 5);
  EXPECT_EQ(rating.cover, 80);
  EXPECT_NEAR(rating.contribution, 0.2, 1e-7);
  EXPECT_EQ(age.name, "age");
  EXPECT_EQ(age.weight, 0);
  EXPECT_EQ(age.gain, 0);
}

TEST(FeatureImportanceTest, WithoutNamesFeaturesHaveNumbersOnly) {
  const TreeImportance result = tree_importance("a", {}, 2, {}, {}, {});
  EXPECT_EQ(result.documents, 0u);
  ASSERT_EQ(result.features.size(), 2u);
  EXPECT_EQ(result.features[0].feature, 1);
  EXPECT_EQ(result.features[1].feature, 2);
  EXPECT_EQ(result.features[1].name, "");
}

TEST(FeatureImportanceTest, DeepTreesAffordFewerDocuments) {
  EXPECT_EQ(affordable_contributions({}), 2000u);
  RegressionTree chain;
  for (std::uint32_t i = 0; i < 100; ++i) {
    chain.push_back({.feature = 0, .left = 2 * i + 1, .right = 2 * i + 2});
    chain.push_back({.value = 0});
  }
  chain.push_back({.value = 0});
  const std::size_t one = affordable_contributions(std::vector<RegressionTree>{chain});
  EXPECT_LT(one, 2000u);
  EXPECT_GT(one, 20u);
  EXPECT_EQ(affordable_contributions(std::vector<RegressionTree>(1000, chain)), 20u);
}

}  // namespace
}  // namespace ultr::feature_importance_test
