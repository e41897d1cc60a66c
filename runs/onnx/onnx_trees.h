#pragma once

#include <span>

#include "layers/regression_tree.h"

namespace onnx {
class NodeProto;
}

namespace ultr {

/// Domain and version of the ONNX operators that compute trees.
inline constexpr const char* onnx_tree_domain = "ai.onnx.ml";
inline constexpr int onnx_tree_opset = 1;

/// Makes an ONNX operator a TreeEnsembleRegressor: float32 [n, features] becomes the start plus the
/// sum of the leaves that each row reaches, float32 [n, 1]. Missing values are NaN, as in trees.
/// The operator's inputs and outputs are the caller's.
void set_trees(onnx::NodeProto& node, std::span<const RegressionTree> trees, float start);

}  // namespace ultr
