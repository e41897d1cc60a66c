#include "data/features/xgboost_json.h"

#include <algorithm>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>

#include <fmt/core.h>
#include <fmt/ranges.h>

namespace ultr {
namespace {

/// Formats a number of float32 with all of its bits.
std::string exact(float x) { return fmt::format("{:.8e}", x); }

/// Returns "name":[...] with one entry per node.
template <class Text>
std::string array_of(const char* name, const RegressionTree& tree, Text text) {
  std::vector<std::string> entries;
  for (const TreeNode& node : tree) entries.push_back(fmt::format("{}", text(node)));
  return fmt::format("\"{}\":[{}]", name, fmt::join(entries, ","));
}

/// Returns the arrays of a tree's splits by category.
std::string categories_json(const RegressionTree& tree) {
  Categories all;
  std::vector<std::size_t> nodes, segments, sizes;
  for (std::size_t i = 0; i < tree.size(); ++i) {
    if (tree[i].categories == nullptr) continue;
    const Categories& its = *tree[i].categories;
    nodes.push_back(i);
    segments.push_back(all.size());
    sizes.push_back(its.size());
    all.insert(all.end(), its.begin(), its.end());
  }
  return fmt::format(R"("categories":[{}],"categories_nodes":[{}],"categories_segments":[{}],)"
                     R"("categories_sizes":[{}])",
                     fmt::join(all, ","), fmt::join(nodes, ","), fmt::join(segments, ","),
                     fmt::join(sizes, ","));
}

/// Reads what categories_json writes. Categories of a node are in ascending order.
std::map<std::size_t, Categories> categories_by_node(const nlohmann::json& tree) {
  const auto numbers = [&](const char* name) {
    return tree.at(name).get<std::vector<std::uint32_t>>();
  };
  const std::vector<std::uint32_t> all = numbers("categories"), nodes = numbers("categories_nodes"),
                                   segments = numbers("categories_segments"),
                                   sizes = numbers("categories_sizes");
  std::map<std::size_t, Categories> result;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto first = all.begin() + segments.at(i);
    Categories its(first, first + sizes.at(i));
    std::ranges::sort(its);
    result.emplace(nodes[i], std::move(its));
  }
  return result;
}

/// Replaces NaN by null.
std::string with_nulls(std::string json) {
  constexpr std::string_view nan = "NaN";
  for (std::size_t at = 0; (at = json.find(nan, at)) != std::string::npos;)
    json.replace(at, nan.size(), "null");
  return json;
}

std::string tree_json(const RegressionTree& tree, std::size_t number, std::size_t feature_count) {
  constexpr std::int64_t no_parent = std::numeric_limits<std::int32_t>::max();
  std::vector<std::int64_t> parents(tree.size(), no_parent);
  for (std::size_t i = 0; i < tree.size(); ++i)
    if (!tree[i].is_leaf())
      parents[tree[i].left] = parents[tree[i].right] = static_cast<std::int64_t>(i);
  const auto child = [](const TreeNode& node, std::uint32_t number_of) {
    return node.is_leaf() ? std::int64_t{-1} : std::int64_t{number_of};
  };
  const std::vector<std::string> parts = {
      array_of("base_weights", tree, [](const TreeNode& n) { return exact(n.weight); }),
      categories_json(tree),
      array_of("default_left", tree, [](const TreeNode& n) { return n.missing_left ? 1 : 0; }),
      fmt::format("\"id\":{}", number),
      array_of("left_children", tree, [&](const TreeNode& n) { return child(n, n.left); }),
      array_of("loss_changes", tree, [](const TreeNode& n) { return exact(n.gain); }),
      fmt::format("\"parents\":[{}]", fmt::join(parents, ",")),
      array_of("right_children", tree, [&](const TreeNode& n) { return child(n, n.right); }),
      array_of("split_conditions", tree, [](const TreeNode& n) { return exact(n.value); }),
      array_of("split_indices", tree, [](const TreeNode& n) { return std::max(n.feature, 0); }),
      array_of("split_type", tree, [](const TreeNode& n) { return n.categories ? 1 : 0; }),
      array_of("sum_hessian", tree, [](const TreeNode& n) { return exact(n.cover); }),
      fmt::format(R"("tree_param":{{"num_deleted":"0","num_feature":"{}","num_nodes":"{}",)"
                  R"("size_leaf_vector":"0"}})",
                  feature_count, tree.size())};
  return fmt::format("{{{}}}", fmt::join(parts, ","));
}

/// Returns the types of the features, as the trees split on them; empty if none is categorical.
std::string feature_types(std::span<const RegressionTree> trees, std::size_t feature_count) {
  std::vector<const char*> types(feature_count, R"("float")");
  bool any = false;
  for (const RegressionTree& tree : trees)
    for (const TreeNode& node : tree) {
      if (node.categories == nullptr) continue;
      types.at(static_cast<std::size_t>(node.feature)) = R"("c")";
      any = true;
    }
  return any ? fmt::format("{}", fmt::join(types, ",")) : std::string();
}

RegressionTree tree_of(const nlohmann::json& from) {
  const auto numbers = [&](const char* name) {
    std::vector<float> all;
    for (const nlohmann::json& number : from.at(name))
      all.push_back(number.is_null() ? 0.0f : number.get<float>());
    return all;
  };
  const std::map<std::size_t, Categories> categories = categories_by_node(from);
  const auto left = from.at("left_children").get<std::vector<int>>(),
             right = from.at("right_children").get<std::vector<int>>(),
             features = from.at("split_indices").get<std::vector<int>>(),
             missing_left = from.at("default_left").get<std::vector<int>>();
  const std::vector<float> values = numbers("split_conditions"), gains = numbers("loss_changes"),
                           covers = numbers("sum_hessian"), weights = numbers("base_weights");
  std::vector<std::size_t> order = {0};
  RegressionTree tree;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::size_t n = order[i];
    TreeNode node{.value = values[n], .cover = covers[n], .weight = weights[n]};
    if (left[n] >= 0) {
      node.feature = features[n];
      node.gain = gains[n];
      node.missing_left = missing_left[n] != 0;
      if (const auto its = categories.find(n); its != categories.end())
        node.categories = std::make_shared<const Categories>(its->second);
      node.left = static_cast<std::uint32_t>(order.size());
      node.right = node.left + 1;
      order.push_back(static_cast<std::size_t>(left[n]));
      order.push_back(static_cast<std::size_t>(right[n]));
    }
    tree.push_back(node);
  }
  return tree;
}

}  // namespace

XgboostTrees trees_of_xgboost_json(const std::string& model) {
  // Splits by category have no threshold, for which XGBoost writes NaN, which is no JSON.
  const nlohmann::json json =
      nlohmann::json::parse(model.find("NaN") == std::string::npos ? model : with_nulls(model));
  const nlohmann::json& learner = json.at("learner");
  XgboostTrees read{
      .start = std::stof(learner.at("learner_model_param").at("base_score").get<std::string>())};
  for (const nlohmann::json& tree : learner.at("gradient_booster").at("model").at("trees"))
    read.trees.push_back(tree_of(tree));
  return read;
}

std::string xgboost_json(std::span<const RegressionTree> trees, float start,
                         std::size_t feature_count) {
  std::vector<std::string> texts;
  for (const RegressionTree& tree : trees)
    texts.push_back(tree_json(tree, texts.size(), feature_count));
  return fmt::format(
      R"({{"learner":{{"attributes":{{}},"feature_names":[],"feature_types":[{}],)"
      R"("gradient_booster":{{"model":{{"gbtree_model_param":{{"num_parallel_tree":"1",)"
      R"("num_trees":"{}","size_leaf_vector":"0"}},"tree_info":[{}],"trees":[{}]}},)"
      R"("name":"gbtree"}},"learner_model_param":{{"base_score":"{}","boost_from_average":"0",)"
      R"("num_class":"0","num_feature":"{}","num_target":"1"}},"objective":{{)"
      R"("lambda_rank_param":{{"fix_list_weight":"0","num_pairsample":"1"}},)"
      R"("name":"rank:pairwise"}}}},"version":[1,7,4]}})",
      feature_types(trees, feature_count), trees.size(),
      fmt::join(std::vector<int>(trees.size(), 0), ","), fmt::join(texts, ","), exact(start),
      feature_count);
}

}  // namespace ultr
