#pragma once

#include "runs/onnx/onnx_operators.h"

namespace ultr::testing {

/// Runs a TreeEnsembleRegressor: [n, features] -> [n, 1]. Throws Error for a mode of nodes that it
/// does not know.
OnnxTensor run_trees(const onnx::NodeProto& op, const OnnxTensor& x);

}  // namespace ultr::testing
