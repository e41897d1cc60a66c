#include "runs/onnx/onnx_walker.h"

#include <cstring>

#include <onnx/onnx_pb.h>

namespace ultr::testing {
namespace {

template <class T>
std::vector<double> raw_numbers(const std::string& bytes) {
  std::vector<T> numbers(bytes.size() / sizeof(T));
  std::memcpy(numbers.data(), bytes.data(), bytes.size());
  return {numbers.begin(), numbers.end()};
}

OnnxTensor constant(const onnx::TensorProto& from) {
  OnnxTensor tensor{.is_float = from.data_type() == onnx::TensorProto::FLOAT};
  for (const std::int64_t size : from.dims())
    tensor.shape.push_back(static_cast<std::size_t>(size));
  tensor.values = tensor.is_float ? raw_numbers<float>(from.raw_data())
                  : from.data_type() == onnx::TensorProto::INT64
                      ? raw_numbers<std::int64_t>(from.raw_data())
                      : raw_numbers<double>(from.raw_data());
  return tensor;
}

}  // namespace

OnnxTensor run_onnx(const onnx::GraphProto& graph, std::map<std::string, OnnxTensor> inputs) {
  std::map<std::string, OnnxTensor> values = std::move(inputs);
  for (const onnx::TensorProto& tensor : graph.initializer())
    values[tensor.name()] = constant(tensor);
  for (const onnx::NodeProto& op : graph.node()) {
    std::vector<OnnxTensor> in;
    for (const std::string& name : op.input()) in.push_back(values.at(name));
    values[op.output(0)] = run_operator(op, in);
  }
  return values.at(graph.output(0).name());
}

std::vector<double> run_onnx(const onnx::GraphProto& graph, const std::vector<float>& input,
                             std::size_t columns) {
  const OnnxTensor rows{.shape = {input.size() / columns, columns},
                        .values = {input.begin(), input.end()}};
  return run_onnx(graph, {{graph.input(0).name(), rows}}).values;
}

}  // namespace ultr::testing
