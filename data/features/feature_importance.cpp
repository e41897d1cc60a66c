#include "data/features/feature_importance.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <tuple>

namespace ultr {
namespace {

/// Returns the sum of the squared depths of the leaves.
double squared_depths(const RegressionTree& tree) {
  std::vector<double> depths(tree.size(), 1);
  double sum = 0;
  for (std::size_t i = 0; i < tree.size(); ++i)
    if (tree[i].is_leaf())
      sum += depths[i] * depths[i];
    else
      depths[tree[i].left] = depths[tree[i].right] = depths[i] + 1;
  return sum;
}

}  // namespace

TreeImportance tree_importance(std::string layer, std::span<const RegressionTree> trees,
                               std::size_t feature_count, std::span<const float> contributions,
                               std::span<const std::string> names,
                               std::span<const std::int64_t> numbers) {
  const std::size_t row = feature_count + 1;
  TreeImportance result{.layer = std::move(layer), .documents = contributions.size() / row};
  result.features.resize(feature_count);
  for (std::size_t f = 0; f < feature_count; ++f) {
    FeatureImportance& feature = result.features[f];
    feature.feature = numbers.empty() ? static_cast<std::int64_t>(f) + 1 : numbers[f];
    if (!names.empty()) feature.name = names[f];
    for (std::size_t i = f; i < contributions.size(); i += row)
      feature.contribution += std::abs(static_cast<double>(contributions[i]));
    feature.contribution /= std::max(1.0, static_cast<double>(result.documents));
  }
  for (const RegressionTree& tree : trees)
    for (const TreeNode& node : tree) {
      if (node.is_leaf()) continue;
      FeatureImportance& feature = result.features[static_cast<std::size_t>(node.feature)];
      ++feature.weight;
      feature.gain += static_cast<double>(node.gain);
      feature.cover += static_cast<double>(node.cover);
    }
  for (FeatureImportance& feature : result.features)
    for (double* sum : {&feature.gain, &feature.cover})
      *sum /= std::max(1.0, static_cast<double>(feature.weight));
  std::ranges::stable_sort(result.features, std::greater<>(), [](const FeatureImportance& f) {
    return std::tuple(f.contribution, f.gain);
  });
  return result;
}

std::size_t affordable_contributions(std::span<const RegressionTree> trees) {
  constexpr double steps_per_second = 1e8, least = 20, most = 2000;
  double steps = 1;
  for (const RegressionTree& tree : trees) steps += squared_depths(tree);
  return static_cast<std::size_t>(std::clamp(steps_per_second / steps, least, most));
}

}  // namespace ultr
