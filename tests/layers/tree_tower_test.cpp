#include "layers/tree_tower.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "layers/listed_inputs.h"
#include "options/config_tree.h"
#include "options/read.h"

namespace ultr::tree_tower_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

const LayerSetting setting = {
    .name = "relevance", .domain = Domain::document, .entries = 4, .features = 2, .start = 0.5};

/// A split of a feature at a threshold.
RegressionTree stump(std::int32_t feature, float threshold, float left, float right,
                     bool missing_left = false) {
  return {
      {.feature = feature, .value = threshold, .left = 1, .right = 2, .missing_left = missing_left},
      {.value = left},
      {.value = right}};
}

TreeTowerOptions small_options() {
  TreeTowerOptions options;
  options.rounds = 3;
  options.leaves = 4;
  return options;
}

/// A table of features; the last of them is missing in the last row.
const std::vector<float> features = {0, 0, 1, 5, 2, -5, 3, std::nanf("")};
constexpr ParameterView two_columns(const float* values, std::int64_t rows) {
  return {.values = values, .rows = rows, .columns = 2, .stride = 2};
}

std::vector<float> scores(const TreeTower& tower, const std::shared_ptr<const void>& owner) {
  const std::vector<std::uint32_t> rows = {0, 1, 2, 3};
  std::vector<float> result(rows.size());
  tower.score(two_columns(features.data(), 4), owner, rows, result);
  return result;
}

std::vector<float> scores(const TreeTower& tower) {
  return scores(tower, std::make_shared<const int>(0));
}

TEST(TreeTowerTest, SumsTheStartAndTheLeaves) {
  TreeTower tower(small_options(), setting);
  EXPECT_THAT(scores(tower), ElementsAre(0.5f, 0.5f, 0.5f, 0.5f));
  tower.add(stump(0, 1.5f, 1, 2));
  tower.add(stump(1, 0, 10, 20, true));
  EXPECT_THAT(scores(tower), ElementsAre(21.5f, 21.5f, 12.5f, 12.5f)) << "missing goes left";
  tower.shift(1);
  EXPECT_THAT(scores(tower), ElementsAre(22.5f, 22.5f, 13.5f, 13.5f));
  EXPECT_EQ(tower.start(), 1.5f);
}

TEST(TreeTowerTest, KeptScoresFollowTheTrees) {
  const auto owner = std::make_shared<const int>(0);
  TreeTower tower(small_options(), setting);
  tower.add(stump(0, 1.5f, 1, 2));
  const std::vector<float> one_tree = tower.parameters().front()->values();
  EXPECT_THAT(scores(tower, owner), ElementsAre(1.5f, 1.5f, 2.5f, 2.5f));
  tower.add(stump(0, 0.5f, 4, 8));
  EXPECT_THAT(scores(tower, owner), ElementsAre(5.5f, 9.5f, 10.5f, 10.5f));
  tower.parameters().front()->assign(one_tree);
  EXPECT_EQ(tower.trees().size(), 1u);
  EXPECT_THAT(scores(tower, owner), ElementsAre(1.5f, 1.5f, 2.5f, 2.5f));
  tower.add(stump(0, 0.5f, 16, 32));
  EXPECT_THAT(scores(tower, owner), ElementsAre(17.5f, 33.5f, 34.5f, 34.5f));
}

/// Rows in any order, some of them twice, of which some know the scores of the first tree.
TEST(TreeTowerTest, ScoresOfManyRowsAreThoseOfSingleRows) {
  constexpr std::uint32_t count = 200;
  std::vector<float> table;
  for (std::uint32_t row = 0; row < count; ++row) {
    table.push_back(static_cast<float>(row * 37 % count));
    table.push_back(row % 7 == 0 ? std::nanf("") : static_cast<float>(row % 11));
  }
  const ParameterView view = two_columns(table.data(), count);
  const auto owner = std::make_shared<const int>(0), another = std::make_shared<const int>(0);
  TreeTower tower(small_options(), setting);
  tower.add(stump(0, 99.5f, 0.125f, 3));
  std::vector<std::uint32_t> rows;
  for (std::uint32_t i = 0; i < 2 * count; ++i) rows.push_back(i * 61 % count);
  std::vector<float> all(rows.size()), one(1);
  tower.score(view, owner, std::span(rows).first(70), std::span(all).first(70));
  tower.add({{.feature = 1, .value = 5, .left = 1, .right = 2, .missing_left = true},
             {.feature = 0, .value = 20, .left = 3, .right = 4},
             {.value = 0.1f},
             {.value = 0.2f},
             {.value = 0.3f}});
  tower.add(stump(1, 3, -0.7f, 0.9f));
  tower.score(view, owner, rows, all);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    tower.score(view, another, std::span(rows).subspan(i, 1), one);
    const float* const x = &table[2 * rows[i]];
    float expected = tower.start() + (x[0] < 99.5f ? 0.125f : 3);
    expected += x[1] >= 5 ? 0.1f : x[0] < 20 ? 0.2f : 0.3f;
    expected += x[1] < 3 ? -0.7f : 0.9f;
    EXPECT_EQ(all[i], expected) << i;
    EXPECT_EQ(one[0], expected) << i;
  }
}

TEST(TreeTowerTest, ForgetsTheScoresOfFeaturesThatAreGone) {
  TreeTower tower(small_options(), setting);
  tower.add(stump(0, 1.5f, 1, 2));
  std::vector<float> reused = {0, 0, 0, 0};
  const std::vector<std::uint32_t> rows = {1};
  std::vector<float> score(1);
  tower.score(two_columns(reused.data(), 2), std::make_shared<const int>(0), rows, score);
  EXPECT_EQ(score[0], 1.5f);
  reused[2] = 9;
  tower.score(two_columns(reused.data(), 2), std::make_shared<const int>(0), rows, score);
  EXPECT_EQ(score[0], 2.5f);
}

TEST(TreeTowerTest, ItsParameterHoldsTheTrees) {
  TreeTower tower(small_options(), setting), other(small_options(), setting);
  tower.shift(2);
  tower.add(stump(1, 0.25f, -1, 3, true));
  tower.add({{.value = 7}});
  other.parameters().front()->assign(tower.parameters().front()->values());
  EXPECT_EQ(other.trees(), tower.trees());
  EXPECT_EQ(scores(other), scores(tower));
  EXPECT_EQ(other.parameters().front()->name(), "relevance.trees");
  tower.parameters().front()->attach_states(2);
  EXPECT_EQ(tower.parameters().front()->states(), 0) << "optimizers have no state of trees";
}

TEST(TreeTowerTest, RefusesWhatIsNoTree) {
  TreeTower tower(small_options(), setting);
  EXPECT_THAT([&] { tower.add(stump(2, 0, 1, 2)); },
              ThrowsMessage<DataError>(HasSubstr("splits on feature 2")));
  RegressionTree circle = stump(0, 0, 1, 2);
  circle[0].left = 0;
  EXPECT_THAT([&] { tower.add(circle); }, ThrowsMessage<DataError>(HasSubstr("children 0 and 2")));
  EXPECT_THAT([&] { tower.add(RegressionTree(8)); }, ThrowsMessage<Error>(HasSubstr("8 nodes")));
  for (int tree = 0; tree < 3; ++tree) tower.add(stump(0, 0, 1, 2));
  EXPECT_THAT([&] { tower.add(stump(0, 0, 1, 2)); }, ThrowsMessage<Error>(HasSubstr("tree 4")));
  Parameter& table = *tower.parameters().front();
  table.value(1) = 9;  // nodes of the first tree
  table.value(0) = 4;
  EXPECT_THAT([&] { tower.trees(); }, ThrowsMessage<DataError>(HasSubstr("tree 0 has 9 nodes")));
}

TEST(TreeTowerTest, RefusesOptionsAndSettingsThatGrowNoTrees) {
  LayerSetting ranks = setting, plain = setting;
  ranks.domain = Domain::rank;
  plain.features = 0;
  EXPECT_THAT([&] { small_options().build(ranks); },
              ThrowsMessage<ConfigError>(HasSubstr("one logit per document")));
  EXPECT_THAT([&] { small_options().build(plain); },
              ThrowsMessage<ConfigError>(HasSubstr("'boosted_trees' needs features")));
  TreeTowerOptions unlimited;
  unlimited.leaves = 0;
  EXPECT_THAT([&] { unlimited.build(setting); },
              ThrowsMessage<ConfigError>(HasSubstr("leaves is 0 and depth is 0")));
  unlimited.depth = 3;
  EXPECT_EQ(unlimited.nodes_per_tree("relevance"), 15);
  unlimited.leaves = 5;
  EXPECT_EQ(unlimited.nodes_per_tree("relevance"), 9);
}

/// A split of feature 1 by category.
RegressionTree split_by(const Categories& right, float left_value, float right_value,
                        bool missing_left = false) {
  RegressionTree tree = stump(1, 0, left_value, right_value, missing_left);
  tree[0].categories = std::make_shared<const Categories>(right);
  return tree;
}

TreeTowerOptions categorical_options(std::int64_t categories) {
  TreeTowerOptions options = small_options();
  options.categorical = {2};
  options.categories = categories;
  return options;
}

TEST(TreeTowerTest, CategoriesGoTheWayOfTheirSet) {
  const TreeNode split = split_by({0, 3, 40}, 1, 2, true)[0];
  for (const float right : {0.f, 3.f, 40.f, 3.5f}) EXPECT_FALSE(split.goes_left(right)) << right;
  for (const float left : {1.f, 41.f, -1.f, 1e30f, std::nanf("")})
    EXPECT_TRUE(split.goes_left(left)) << left;
  EXPECT_FALSE(split_by({1}, 1, 2)[0].goes_left(std::nanf("")));
  TreeTower tower(categorical_options(64), setting);
  tower.add(split_by({0, 5}, 1, 2));
  EXPECT_THAT(scores(tower), ElementsAre(2.5f, 2.5f, 1.5f, 2.5f)) << "of 0, 5, -5 and missing";
}

TEST(TreeTowerTest, ItsParameterHoldsCategories) {
  for (const std::int64_t most : {2, 24, 25, 1000}) {
    const auto last = static_cast<std::uint32_t>(most - 1);
    TreeTower tower(categorical_options(most), setting), other(categorical_options(most), setting);
    tower.add(split_by({0, last}, 1, 2));
    tower.add(split_by({last}, 1, 2, true));
    tower.add(stump(0, 0.5f, 3, 4));
    other.parameters().front()->assign(tower.parameters().front()->values());
    EXPECT_EQ(other.trees(), tower.trees()) << most;
    EXPECT_EQ(*other.trees()[0][0].categories, (Categories{0, last}));
    EXPECT_EQ(other.trees()[2][0].categories, nullptr);
  }
}

TEST(TreeTowerTest, RefusesCategoriesThatItDoesNotHave) {
  TreeTower tower(categorical_options(10), setting), plain(small_options(), setting);
  EXPECT_THAT(
      [&] {
        tower.add(split_by({3, 10}, 1, 2));
      },
      ThrowsMessage<DataError>(
          HasSubstr("splits on feature 1 by categories; expected categories below 10")));
  EXPECT_THAT([&] { tower.add(stump(1, 0, 1, 2)); },
              ThrowsMessage<DataError>(HasSubstr("by a threshold; expected categories below 10")));
  EXPECT_THAT([&] { plain.add(split_by({3}, 1, 2)); },
              ThrowsMessage<DataError>(HasSubstr("by categories; expected a threshold")));
  tower.add(split_by({3}, 1, 2));
  Parameter& table = *tower.parameters().front();
  table.row(2)[8] = 0.5f;  // no bits
  table.value(0) = 9;      // the start, so that trees are read again
  EXPECT_THAT([&] { tower.trees(); }, ThrowsMessage<DataError>(HasSubstr("is no node")));
}

}  // namespace
}  // namespace ultr::tree_tower_test
