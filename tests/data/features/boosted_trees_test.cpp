#include "data/features/boosted_trees.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/random.h"
#include "data/features/xgboost_json.h"

namespace ultr::boosted_trees_test {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

// Documents with label 1 if their feature is above 4, else 0.
const std::vector<float> features = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
const std::vector<float> labels = {0, 0, 0, 0, 0, 1, 1, 1, 1, 1};

BoostedTrees grown(std::int64_t trees, std::span<const float> targets = labels,
                   std::size_t width = 1, const char* objective = "binary:logistic") {
  return {{.features = features, .feature_count = width, .labels = targets},
          trees,
          {{"objective", objective}, {"min_child_weight", "0"}},
          1};
}

TEST(BoostedTreesTest, ScoresAreLogitsThatMoreTreesSharpen) {
  const BoostedTrees trees = grown(8);
  EXPECT_EQ(trees.trees(), 8);
  EXPECT_EQ(trees.features(), 1u);
  const std::vector<double> all = trees.score(features), few = trees.score(features, 2);
  for (std::size_t i = 0; i < features.size(); ++i) {
    EXPECT_EQ(all[i] > 0, labels[i] > 0) << i;
    EXPECT_GT(std::abs(all[i]), std::abs(few[i])) << i;
  }
}

TEST(BoostedTreesTest, CopiesShareTheTreesAndTheSameSeedGrowsThemAgain) {
  const BoostedTrees trees = grown(3), copy = trees;
  EXPECT_EQ(copy.score(features), trees.score(features));
  EXPECT_EQ(grown(3).score(features), trees.score(features));
}

TEST(BoostedTreesTest, RejectsMismatchedInput) {
  EXPECT_THAT([] { grown(1, std::span(labels).first(9)); },
              ThrowsMessage<Error>(HasSubstr("10 rows of features and 9 labels")));
  EXPECT_THAT([] { grown(1, labels, 3); },
              ThrowsMessage<Error>(HasSubstr("10 numbers do not fill rows of 3")));
  EXPECT_THAT([] { grown(1, labels, 1, "magic"); }, ThrowsMessage<Error>(HasSubstr("XGBoost: ")));
  EXPECT_THAT([] { grown(1).score(features, 2); },
              ThrowsMessage<Error>(HasSubstr("asked for 2 trees; expected 1 to 1")));
}

// One tree on slopes ----------------------------------------------------------------------------

/// Rows of three random features, some of them missing, and slopes that depend on the first two.
struct Slopes {
  explicit Slopes(std::size_t documents) {
    RandomStream random(1, RandomPurpose::testing, 0, 0);
    for (std::size_t i = 0; i < documents; ++i) {
      for (int f = 0; f < 3; ++f)
        features.push_back(random.uniform() < 0.1 ? std::nanf("")
                                                  : static_cast<float>(random.normal()));
      const auto at = [&](std::size_t f) {
        const auto x = static_cast<double>(features[3 * i + f]);
        return std::isnan(x) ? 0 : x;
      };
      slopes.push_back(at(0) - at(1) * at(1) + 0.1 * random.normal());
      curvatures.push_back(0.25 * random.uniform());
    }
  }
  std::vector<float> features;
  std::vector<double> slopes, curvatures;
};

float leaf(const RegressionTree& tree, std::span<const float> features) {
  return leaf_of(tree, features.data()).value;
}

TEST(TreeGrowerTest, LeavesAreNewtonSteps) {
  const Slopes data(500);
  const TreeGrowth growth{.leaves = 8, .learning_rate = 0.5, .lambda = 2};
  const RegressionTree tree =
      TreeGrower(data.features, 3, growth, 1).grow(data.slopes, data.curvatures, 1);
  std::map<float, std::pair<double, double>> sums;
  for (std::size_t i = 0; i < data.slopes.size(); ++i) {
    auto& [slope, curvature] = sums[leaf(tree, std::span(data.features).subspan(3 * i, 3))];
    slope += data.slopes[i];
    curvature += data.curvatures[i];
  }
  EXPECT_EQ(sums.size(), 8u);
  for (const auto& [value, sum] : sums)
    EXPECT_NEAR(static_cast<double>(value), -0.5 * sum.first / (sum.second + 2), 1e-4);
}

TEST(TreeGrowerTest, TreesAreTheSameOnAnyNumberOfThreads) {
  const Slopes data(20'000);
  TreeGrowth growth{.leaves = 63, .columns = 0.7};
  const RegressionTree one =
      TreeGrower(data.features, 3, growth, 1).grow(data.slopes, data.curvatures, 5);
  EXPECT_GT(one.size(), 60u);
  for (const int threads : {2, 3, 7})
    EXPECT_EQ(TreeGrower(data.features, 3, growth, threads).grow(data.slopes, data.curvatures, 5),
              one)
        << threads;
}

TEST(TreeGrowerTest, ATreeDependsOnItsArgumentsAlone) {
  const Slopes data(2000);
  std::vector<double> other = data.slopes;
  for (std::size_t i = 0; i < other.size(); i += 2) other[i] += 1;
  for (const double columns : {1.0, 0.5}) {
    const TreeGrowth growth{.columns = columns};
    const TreeGrower used(data.features, 3, growth, 1);
    used.grow(other, data.curvatures, 7);
    used.grow(data.slopes, data.curvatures, 7);
    EXPECT_EQ(used.grow(data.slopes, data.curvatures, 5),
              TreeGrower(data.features, 3, growth, 1).grow(data.slopes, data.curvatures, 5))
        << columns;
  }
}

TEST(TreeGrowerTest, SumsOfRoundedSlopesAreExact) {
  const Slopes data(10'000);
  std::vector<double> wide = data.slopes;
  for (std::size_t i = 0; i < wide.size(); i += 3) wide[i] *= 1e-9;
  const std::vector<float> rounded = exactly_summable(wide);
  const double forward = std::accumulate(rounded.begin(), rounded.end(), 0.0),
               backward = std::accumulate(rounded.rbegin(), rounded.rend(), 0.0);
  EXPECT_EQ(forward, backward);
  for (std::size_t i = 0; i < wide.size(); ++i)
    EXPECT_NEAR(static_cast<double>(rounded[i]), wide[i], 1e-7 * std::abs(wide[i]) + 1e-11);
  EXPECT_THAT(exactly_summable(std::vector<double>{0, 0}), ::testing::Each(0.0f));
}

TEST(TreeGrowerTest, MonotoneFeaturesAreObeyed) {
  const Slopes data(2000);
  TreeGrowth growth{.leaves = 31, .monotone = {1, 0, 0}};  // against the slopes
  const RegressionTree tree =
      TreeGrower(data.features, 3, growth, 1).grow(data.slopes, data.curvatures, 1);
  for (std::size_t i = 0; i < 50; ++i) {
    std::vector<float> row = {-3, data.features[3 * i + 1], data.features[3 * i + 2]};
    float before = leaf(tree, row);
    for (; row[0] < 3; row[0] += 0.1f) {
      EXPECT_GE(leaf(tree, row), before);
      before = leaf(tree, row);
    }
  }
}

TEST(TreeGrowerTest, WithoutSlopesTheTreeIsALeafOfZero) {
  const Slopes data(50);
  const std::vector<double> zeros(50, 0.0);
  const RegressionTree tree = TreeGrower(data.features, 3, {}, 1).grow(zeros, zeros, 1);
  ASSERT_EQ(tree.size(), 1u);
  EXPECT_EQ(tree[0].value, 0);
}

TEST(TreeGrowerTest, XGBoostLoadsTheTreesWithTheSameScores) {
  const Slopes data(300);
  const TreeGrower grower(data.features, 3, {.leaves = 15, .lambda = 0.5}, 1);
  std::vector<RegressionTree> trees;
  for (std::uint64_t round = 0; round < 5; ++round)
    trees.push_back(grower.grow(data.slopes, data.curvatures, round));
  trees.push_back({{.value = 0.125}});
  const std::vector<float> loaded =
      LoadedTrees(xgboost_json(trees, -0.3f, 3), 3, 1).scores(data.features);
  for (std::size_t i = 0; i < loaded.size(); ++i) {
    float score = -0.3f;
    for (const RegressionTree& tree : trees)
      score += leaf(tree, std::span(data.features).subspan(3 * i, 3));
    EXPECT_EQ(loaded[i], score) << i;
  }
}

/// Rows of a number and of three categories, two with few and one with many values, some missing.
/// Slopes depend on sets of categories that no threshold tells apart.
struct CategorySlopes {
  explicit CategorySlopes(std::size_t documents) {
    RandomStream random(2, RandomPurpose::testing, 0, 0);
    for (std::size_t i = 0; i < documents; ++i) {
      const std::uint64_t few = random.below(3), some = random.below(10), many = random.below(200);
      for (const float x : {static_cast<float>(random.normal()), static_cast<float>(few),
                            static_cast<float>(some), static_cast<float>(many)})
        features.push_back(random.uniform() < 0.05 ? std::nanf("") : x);
      slopes.push_back((few == 1 ? 1 : 0) + (some % 3 == 1 ? 1 : -1) + (many % 7 < 3 ? 1 : 0) +
                       0.1 * random.normal());
      curvatures.push_back(1);
    }
  }
  std::vector<float> features;
  std::vector<double> slopes, curvatures;
};

TEST(TreeGrowerTest, CategoriesAreSplitBySetsThatXGBoostLoads) {
  const CategorySlopes data(5000);
  const TreeGrowth growth{.leaves = 31, .lambda = 0.5, .categorical = {1, 2, 3}};
  const TreeGrower grower(data.features, 4, growth, 1);
  std::vector<RegressionTree> trees;
  for (std::uint64_t round = 0; round < 5; ++round)
    trees.push_back(grower.grow(data.slopes, data.curvatures, round));
  std::size_t sets = 0, largest = 0;
  for (const RegressionTree& tree : trees)
    for (const TreeNode& node : tree) {
      EXPECT_EQ(node.categories != nullptr, node.feature > 0);
      if (node.categories == nullptr) continue;
      ++sets;
      largest = std::max(largest, node.categories->size());
      EXPECT_TRUE(std::ranges::is_sorted(*node.categories));
    }
  EXPECT_GT(sets, 10u);
  EXPECT_GT(largest, 1u);
  const std::string json = xgboost_json(trees, 0.25f, 4);
  EXPECT_THAT(json, HasSubstr(R"("feature_types":["float","c","c","c"])"));
  std::vector<float> rows = data.features;
  for (const float x : {0.f, 7.f, -1.f, 3.5f, 1e9f, 2e7f})  // also what is no category
    rows.insert(rows.end(), {0, x, x, x});
  const std::vector<float> loaded = LoadedTrees(json, 4, 1).scores(rows);
  for (std::size_t i = 0; i < loaded.size(); ++i) {
    float score = 0.25f;
    for (const RegressionTree& tree : trees) score += leaf(tree, std::span(rows).subspan(4 * i, 4));
    EXPECT_EQ(loaded[i], score) << i;
  }
  const XgboostTrees read = trees_of_xgboost_json(json);
  EXPECT_EQ(read.trees, trees);
  EXPECT_EQ(read.start, 0.25f);
}

TEST(TreeGrowerTest, SplitsByCategoryAreTheSameOnAnyNumberOfThreads) {
  const CategorySlopes data(20'000);
  const TreeGrowth growth{.leaves = 63, .categorical = {1, 2, 3}};
  const RegressionTree one =
      TreeGrower(data.features, 4, growth, 1).grow(data.slopes, data.curvatures, 5);
  for (const int threads : {2, 5})
    EXPECT_EQ(TreeGrower(data.features, 4, growth, threads).grow(data.slopes, data.curvatures, 5),
              one)
        << threads;
}

TEST(LoadedTreesTest, ContributionsSumToTheScores) {
  const Slopes data(300);
  const TreeGrower grower(data.features, 3, {.leaves = 15}, 1);
  std::vector<RegressionTree> trees;
  for (std::uint64_t round = 0; round < 5; ++round)
    trees.push_back(grower.grow(data.slopes, data.curvatures, round));
  const LoadedTrees one(xgboost_json(trees, 0.5f, 3), 3, 1),
      two(xgboost_json(trees, 0.5f, 3), 3, 2);
  const std::vector<float> contributions = one.contributions(data.features);
  ASSERT_EQ(contributions.size(), 300u * 4);
  const std::vector<float> scores = one.scores(data.features);
  float largest = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const auto row = std::span(contributions).subspan(4 * i, 4);
    EXPECT_NEAR(std::accumulate(row.begin(), row.end(), 0.0), static_cast<double>(scores[i]), 1e-5)
        << i;
    largest = std::max(largest, std::abs(row[0]));
  }
  EXPECT_GT(largest, 0.1f);
  EXPECT_EQ(two.contributions(data.features), contributions) << "on any number of threads";
  EXPECT_TRUE(one.contributions({}).empty());
  EXPECT_THAT([] { LoadedTrees("{}", 3, 1); }, ThrowsMessage<Error>(HasSubstr("XGBoost: ")));
}

TEST(TreeGrowerTest, RejectsMismatchedInput) {
  const Slopes data(10);
  EXPECT_THAT([&] { TreeGrower({}, 3, {}, 1); },
              ThrowsMessage<Error>(HasSubstr("no documents to grow trees on")));
  const TreeGrower grower(data.features, 3, {}, 1);
  EXPECT_THAT([&] { grower.grow(std::span(data.slopes).first(9), data.curvatures, 1); },
              ThrowsMessage<Error>(HasSubstr("9 slopes and 10 second derivatives; expected 10")));
}

}  // namespace
}  // namespace ultr::boosted_trees_test
