#pragma once

#include <map>
#include <string>
#include <vector>

#include "runs/onnx/onnx_operators.h"

namespace onnx {
class GraphProto;
}

namespace ultr::testing {

/// Runs a graph of ONNX operators on tensors that are called as its inputs, and returns its output.
/// Throws Error for an operator or an attribute that it does not know.
OnnxTensor run_onnx(const onnx::GraphProto& graph, std::map<std::string, OnnxTensor> inputs);

/// Runs a graph on its only input, float32 [rows, columns], and returns its output, a vector.
std::vector<double> run_onnx(const onnx::GraphProto& graph, const std::vector<float>& input,
                             std::size_t columns);

}  // namespace ultr::testing
