#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <tuple>
#include <vector>

namespace ultr {

/// Categories, ascending.
using Categories = std::vector<std::uint32_t>;

/// A node of a regression tree over numbered features.
struct TreeNode {
  std::int32_t feature = -1;          // that the node splits on; -1: a leaf
  float value = 0;                    // of a leaf; or the threshold: features below it go left
  std::uint32_t left = 0, right = 0;  // numbers of the children
  bool missing_left = false;          // documents without the feature (NaN) go left
  float gain = 0;                     // by which the split lowers the loss
  float cover = 0;                    // sum of second derivatives
  float weight = 0;                   // value if the node were a leaf, before the learning rate
  /// Categories that go right, if the node splits on a categorical feature; null: on a threshold.
  std::shared_ptr<const Categories> categories = {};

  bool is_leaf() const { return feature < 0; }
  /// Returns true if documents with the feature x go left. Categories that the split does not know,
  /// and numbers that are none, go left, as in XGBoost.
  bool goes_left(float x) const {
    if (std::isnan(x)) return missing_left;
    if (categories == nullptr) return x < value;
    constexpr float most = 16'777'216;
    return !(
        x >= 0 && x < most &&
        std::binary_search(categories->begin(), categories->end(), static_cast<std::uint32_t>(x)));
  }
  friend bool operator==(const TreeNode& a, const TreeNode& b) {
    const auto numbers = [](const TreeNode& n) {
      return std::tuple(n.feature, n.value, n.left, n.right, n.missing_left, n.gain, n.cover,
                        n.weight);
    };
    const bool both = a.categories != nullptr && b.categories != nullptr;
    return numbers(a) == numbers(b) &&
           (both ? *a.categories == *b.categories : a.categories == b.categories);
  }
};

/// A regression tree: its nodes, the root first, parents before their children.
using RegressionTree = std::vector<TreeNode>;

/// Returns the leaf that a row of features reaches; NaN: missing.
inline const TreeNode& leaf_of(const RegressionTree& tree, const float* features) {
  std::size_t at = 0;
  while (!tree[at].is_leaf()) {
    const TreeNode& node = tree[at];
    at = node.goes_left(features[node.feature]) ? node.left : node.right;
  }
  return tree[at];
}

}  // namespace ultr
