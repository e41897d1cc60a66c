#include "runs/onnx/onnx_trees.h"

#include <algorithm>
#include <limits>

#include <onnx/onnx_pb.h>

namespace ultr {
namespace {

/// Attributes of a TreeEnsembleRegressor, which describe node after node of all trees.
class TreeAttributes {
 public:
  explicit TreeAttributes(onnx::NodeProto& node)
      : node_(node),
        trees_(integers("nodes_treeids")),
        numbers_(integers("nodes_nodeids")),
        features_(integers("nodes_featureids")),
        modes_(added("nodes_modes", onnx::AttributeProto::STRINGS)),
        values_(floats("nodes_values")),
        yes_(integers("nodes_truenodeids")),
        no_(integers("nodes_falsenodeids")),
        missing_is_yes_(integers("nodes_missing_value_tracks_true")),
        leaf_trees_(integers("target_treeids")),
        leaf_numbers_(integers("target_nodeids")),
        leaf_targets_(integers("target_ids")),
        leaf_values_(floats("target_weights")) {}

  void add(std::int64_t tree, const RegressionTree& nodes) {
    tree_ = tree;
    auto next = static_cast<std::int64_t>(nodes.size());  // number of a further node
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const TreeNode& node = nodes[i];
      const auto number = static_cast<std::int64_t>(i);
      if (node.categories != nullptr)
        add_categories(number, node, next);
      else
        add_node(number, node.is_leaf() ? "LEAF" : "BRANCH_LT", std::max(node.feature, 0),
                 node.is_leaf() ? 0 : node.value, node.left, node.right, node.missing_left);
      if (node.is_leaf()) add_leaf(number, node.value);
    }
  }

  void set_sum(float start) {
    onnx::AttributeProto& targets = added("n_targets", onnx::AttributeProto::INT);
    targets.set_i(1);
    floats("base_values").add_floats(start);
    added("aggregate_function", onnx::AttributeProto::STRING).set_s("SUM");
    added("post_transform", onnx::AttributeProto::STRING).set_s("NONE");
  }

 private:
  void add_node(std::int64_t number, const char* mode, std::int64_t feature, float value,
                std::int64_t yes, std::int64_t no, bool missing_is_yes) {
    trees_.add_ints(tree_);
    numbers_.add_ints(number);
    features_.add_ints(feature);
    modes_.add_strings(mode);
    values_.add_floats(value);
    yes_.add_ints(yes);
    no_.add_ints(no);
    missing_is_yes_.add_ints(missing_is_yes ? 1 : 0);
  }
  void add_leaf(std::int64_t number, float value) {
    leaf_trees_.add_ints(tree_);
    leaf_numbers_.add_ints(number);
    leaf_targets_.add_ints(0);
    leaf_values_.add_floats(value);
  }
  /// Adds a chain of nodes, one per category: a document with it goes right, the others on. `next`
  /// is the number of the next node of the chain.
  void add_categories(std::int64_t number, const TreeNode& node, std::int64_t& next) {
    const Categories& categories = *node.categories;
    if (categories.empty())  // all documents go left, but for missing ones
      return add_node(number, "BRANCH_LT", node.feature, -std::numeric_limits<float>::infinity(),
                      node.right, node.left, !node.missing_left);
    for (std::size_t i = 0; i < categories.size(); ++i) {
      const bool last = i + 1 == categories.size();
      const std::int64_t following = last ? node.left : next++;
      add_node(number, "BRANCH_EQ", node.feature, static_cast<float>(categories[i]), node.right,
               following, !node.missing_left);
      number = following;
    }
  }
  onnx::AttributeProto& added(const char* name, onnx::AttributeProto::AttributeType type) {
    onnx::AttributeProto& attribute = *node_.add_attribute();
    attribute.set_name(name);
    attribute.set_type(type);
    return attribute;
  }
  onnx::AttributeProto& integers(const char* name) {
    return added(name, onnx::AttributeProto::INTS);
  }
  onnx::AttributeProto& floats(const char* name) {
    return added(name, onnx::AttributeProto::FLOATS);
  }

  onnx::NodeProto& node_;
  onnx::AttributeProto &trees_, &numbers_, &features_, &modes_, &values_, &yes_, &no_,
      &missing_is_yes_, &leaf_trees_, &leaf_numbers_, &leaf_targets_, &leaf_values_;
  std::int64_t tree_ = 0;
};

}  // namespace

void set_trees(onnx::NodeProto& node, std::span<const RegressionTree> trees, float start) {
  node.set_op_type("TreeEnsembleRegressor");
  node.set_domain(onnx_tree_domain);
  TreeAttributes attributes(node);
  const RegressionTree none = {{.value = 0}};  // the operator needs a tree
  std::int64_t tree = 0;
  for (const RegressionTree& nodes : trees) attributes.add(tree++, nodes);
  if (trees.empty()) attributes.add(tree, none);
  attributes.set_sum(start);
}

}  // namespace ultr
