#pragma once

#include <map>
#include <string>
#include <vector>

namespace onnx {
class GraphProto;
}

namespace ultr::testing {

/// Runs a graph of ONNX operators on one input, float32 [rows, columns], and returns its output, a
/// vector. Written from the specification of the operators alone, so that exported files are
/// checked by a reader that shares no code with their writer. Throws Error for an operator or an
/// attribute that it does not know.
std::vector<double> run_onnx(const onnx::GraphProto& graph, const std::vector<float>& input,
                             std::size_t columns);

}  // namespace ultr::testing
