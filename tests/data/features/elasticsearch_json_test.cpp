#include "data/features/elasticsearch_json.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "data/features/feature_lists_builder.h"

namespace ultr::elasticsearch_json_test {
namespace {

using nlohmann::json;

/// Returns the leaf value that the plugins give a row of features by name, without missing ones.
float leaf(const json& node, const std::map<std::string, float>& features) {
  if (node.contains("leaf")) return node.at("leaf").get<float>();
  const bool yes =
      features.at(node.at("split").get<std::string>()) < node.at("split_condition").get<float>();
  const int next = node.at(yes ? "yes" : "no").get<int>();
  for (const json& child : node.at("children"))
    if (child.at("nodeid") == next) return leaf(child, features);
  throw std::out_of_range("no child has the node's number");
}

RegressionTree random_tree(std::uint64_t seed, std::span<const float> thresholds) {
  RandomStream random(seed, RandomPurpose::testing, 0, 0);
  RegressionTree tree;
  for (std::uint32_t split = 0; split < 7; ++split)
    tree.push_back({.feature = static_cast<std::int32_t>(split % 2),
                    .value = thresholds[random.bits() % (thresholds.size() / 2) * 2 + split % 2],
                    .left = 2 * split + 1,
                    .right = 2 * split + 2,
                    .missing_left = split % 3 == 0});
  for (int i = 0; i < 8; ++i) tree.push_back({.value = static_cast<float>(random.normal())});
  return tree;
}

std::vector<float> random_rows(std::size_t rows) {
  RandomStream random(7, RandomPurpose::testing, 0, 0);
  std::vector<float> values;
  for (std::size_t i = 0; i < 2 * rows; ++i)
    values.push_back(static_cast<float>(random.normal() * std::pow(10, 4 * random.normal())));
  return values;
}

TEST(ElasticsearchJsonTest, TreesComputeTheLogitsByName) {
  const std::vector<float> rows = random_rows(200);
  const std::vector<RegressionTree> trees = {random_tree(1, rows), random_tree(2, rows)};
  const std::vector<std::string> names = {"price \"net\"", "größe"};
  const json array = json::parse(*elasticsearch_json(trees, 0.75f, names));
  ASSERT_EQ(array.size(), 2u);
  for (std::size_t i = 0; i < rows.size(); i += 2) {
    float score = 0, expected = 0.75f;
    for (const json& tree : array)
      score += leaf(tree, {{names[0], rows[i]}, {names[1], rows[i + 1]}});
    for (const RegressionTree& tree : trees) expected += leaf_of(tree, &rows[i]).value;
    EXPECT_NEAR(static_cast<double>(score), static_cast<double>(expected), 1e-6) << i;
  }
  EXPECT_EQ(array[0].at("missing"), array[0].at("yes"));
  EXPECT_EQ(array[0].at("children")[0].at("missing"), array[0].at("children")[0].at("no"));
  EXPECT_EQ(array[0].at("children")[0].at("depth"), 1);
}

TEST(ElasticsearchJsonTest, WithoutTreesTheStartIsALeaf) {
  EXPECT_EQ(json::parse(*elasticsearch_json({}, 0.5f, {})),
            json::parse(R"([{"nodeid": 0, "leaf": 0.5}])"));
  const std::vector<RegressionTree> stump = {
      {{.feature = 1, .value = 2, .left = 1, .right = 2}, {.value = -1}, {.value = 1}}};
  EXPECT_EQ(json::parse(*elasticsearch_json(stump, 0, {}))[0].at("split"), "f1");
}

TEST(ElasticsearchJsonTest, SplitsByCategoryHaveNoForm) {
  std::vector<RegressionTree> trees = {
      {{.feature = 1, .left = 1, .right = 2}, {.value = -1}, {.value = 1}}};
  EXPECT_TRUE(elasticsearch_json(trees, 0, {}));
  trees[0][0].categories = std::make_shared<const Categories>(Categories{1});
  EXPECT_FALSE(elasticsearch_json(trees, 0, {}));
}

/// Raw numbers take the same ways as their scaled values, to the last bit.
TEST(ElasticsearchJsonTest, ThresholdsOfRawFeaturesAreExact) {
  const std::vector<float> rows = random_rows(500);
  FeatureListsBuilder builder(2);
  builder.start_list(1);
  for (std::size_t i = 0; i < rows.size(); i += 2)
    std::copy_n(&rows[i], 2, builder.add({}).begin());
  const FeatureLists lists = builder.build();
  for (const bool log1p : {false, true})
    for (const bool standardise : {false, true}) {
      FeatureScalingOptions options;
      options.log1p = log1p;
      options.standardise = standardise;
      const FeatureScaling scaling(lists, options);
      std::vector<float> scaled = rows;
      scaling.apply(scaled);
      const std::vector<RegressionTree> trees = {random_tree(3, scaled), random_tree(4, scaled)};
      const std::vector<RegressionTree> raw = over_raw_features(trees, scaling, {});
      for (std::size_t i = 0; i < rows.size(); i += 2)
        for (std::size_t t = 0; t < trees.size(); ++t)
          EXPECT_EQ(leaf_of(raw[t], &rows[i]).value, leaf_of(trees[t], &scaled[i]).value) << i;
    }
}

TEST(ElasticsearchJsonTest, ThresholdsAreOfTheColumnThatAFeatureHas) {
  FeatureListsBuilder builder(2);
  builder.start_list(1);
  for (const float x : {1.f, 2.f, 3.f}) {
    const auto row = builder.add({});
    row[0] = x;
    row[1] = 100 * x;
  }
  FeatureScalingOptions options;
  options.standardise = true;
  const FeatureScaling scaling(builder.build(), options);
  const std::vector<RegressionTree> trees = {
      {{.feature = 0, .value = 0, .left = 1, .right = 2}, {.value = 1}, {.value = 2}}};
  const std::vector<std::size_t> columns = {1, 0};
  EXPECT_EQ(over_raw_features(trees, scaling, columns)[0][0].value, 200);
  EXPECT_EQ(over_raw_features(trees, scaling, {})[0][0].value, 2);
}

}  // namespace
}  // namespace ultr::elasticsearch_json_test
