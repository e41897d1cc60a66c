#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace onnx {
class AttributeProto;
class NodeProto;
}  // namespace onnx

namespace ultr::testing {

/// A tensor of a graph of ONNX operators, row-major. Numbers of float32 are rounded.
struct OnnxTensor {
  std::vector<std::size_t> shape{};
  bool is_float = true;  // float32
  std::vector<double> values{};

  /// Appends a number.
  void add(double x) {
    values.push_back(is_float ? static_cast<double>(static_cast<float>(x)) : x);
  }
};

/// Returns an attribute of an operator. Throws Error if it has none of that name.
const onnx::AttributeProto& attribute(const onnx::NodeProto& node, const std::string& name);

/// Runs an ONNX operator. Written from the specification of the operators alone, so that exported
/// files are checked by a reader that shares no code with their writer. Throws Error for an
/// operator or an attribute that it does not know.
OnnxTensor run_operator(const onnx::NodeProto& op, const std::vector<OnnxTensor>& in);

}  // namespace ultr::testing
