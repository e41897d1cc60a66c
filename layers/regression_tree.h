#pragma once

#include <cstdint>
#include <vector>

namespace ultr {

/// A node of a regression tree over numbered features.
struct TreeNode {
  std::int32_t feature = -1;          // that the node splits on; -1: a leaf
  float value = 0;                    // of a leaf; or the threshold: features below it go left
  std::uint32_t left = 0, right = 0;  // numbers of the children
  bool missing_left = false;          // documents without the feature (NaN) go left
  float gain = 0;                     // by which the split lowers the loss
  float cover = 0;                    // sum of second derivatives
  float weight = 0;                   // value if the node were a leaf, before the learning rate

  bool is_leaf() const { return feature < 0; }
  friend bool operator==(const TreeNode&, const TreeNode&) = default;
};

/// A regression tree: its nodes, the root first, parents before their children.
using RegressionTree = std::vector<TreeNode>;

}  // namespace ultr
