#include "runs/onnx/onnx_tree_operator.h"

#include <cmath>
#include <map>

#include <onnx/onnx_pb.h>

#include "base/error.h"

namespace ultr::testing {

OnnxTensor run_trees(const onnx::NodeProto& op, const OnnxTensor& x) {
  const auto integers = [&](const char* name) -> const auto& { return attribute(op, name).ints(); };
  const auto& trees = integers("nodes_treeids");
  const auto& numbers = integers("nodes_nodeids");
  const auto& modes = attribute(op, "nodes_modes").strings();
  std::map<std::pair<std::int64_t, std::int64_t>, int> places;
  std::map<std::pair<std::int64_t, std::int64_t>, float> leaves;
  for (int i = 0; i < trees.size(); ++i) places[{trees[i], numbers[i]}] = i;
  for (int i = 0; i < integers("target_treeids").size(); ++i)
    leaves[{integers("target_treeids")[i], integers("target_nodeids")[i]}] =
        attribute(op, "target_weights").floats(i);
  const std::int64_t last_tree = trees[trees.size() - 1];
  OnnxTensor out{.shape = {x.shape[0], 1}};
  for (auto row = x.values.begin(); row != x.values.end();
       row += static_cast<std::ptrdiff_t>(x.shape[1])) {
    double sum = static_cast<double>(attribute(op, "base_values").floats(0));
    for (std::int64_t tree = 0; tree <= last_tree; ++tree) {
      std::int64_t number = 0;
      while (true) {
        const int at = places.at({tree, number});
        if (modes[at] == "LEAF") break;
        const double value = row[integers("nodes_featureids")[at]];
        const auto limit = static_cast<double>(attribute(op, "nodes_values").floats(at));
        if (modes[at] != "BRANCH_LT" && modes[at] != "BRANCH_EQ")
          throw Error("mode " + modes[at] + " is not known");
        const bool holds = modes[at] == "BRANCH_LT" ? value < limit : value == limit;
        const bool yes =
            std::isnan(value) ? integers("nodes_missing_value_tracks_true")[at] != 0 : holds;
        number = integers(yes ? "nodes_truenodeids" : "nodes_falsenodeids")[at];
      }
      sum += static_cast<double>(leaves.at({tree, number}));
    }
    out.add(sum);
  }
  return out;
}

}  // namespace ultr::testing
