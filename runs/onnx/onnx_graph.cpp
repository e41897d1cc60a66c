#include "runs/onnx/onnx_graph.h"

#include <numeric>

#include <fmt/core.h>

#include "base/error.h"
#include "runs/onnx/onnx_trees.h"

namespace ultr {
namespace {

void set_attribute(onnx::AttributeProto& attribute, const OnnxAttribute& to) {
  attribute.set_name(to.first);
  if (const auto* number = std::get_if<std::int64_t>(&to.second)) {
    attribute.set_type(onnx::AttributeProto::INT);
    attribute.set_i(*number);
    return;
  }
  attribute.set_type(onnx::AttributeProto::INTS);
  for (const std::int64_t number : std::get<std::vector<std::int64_t>>(to.second))
    attribute.add_ints(number);
}

/// Declares an input or output, whose axes the caller adds to the shape that is returned.
onnx::TensorShapeProto* declare(onnx::ValueInfoProto& value, const std::string& name,
                                onnx::TensorProto::DataType type, const std::string& help) {
  value.set_name(name);
  value.set_doc_string(help);
  auto* tensor = value.mutable_type()->mutable_tensor_type();
  tensor->set_elem_type(type);
  return tensor->mutable_shape();
}

}  // namespace

GraphValue OnnxGraph::trees(GraphValue x, std::span<const RegressionTree> trees, float start) {
  const GraphValue sum = node("TreeEnsembleRegressor", {x});
  set_trees(*graph_.mutable_node(graph_.node_size() - 1), trees, start);
  has_trees_ = true;
  return sum;
}

GraphValue OnnxGraph::input(const std::string& name, onnx::TensorProto::DataType type,
                            const std::vector<OnnxAxis>& axes, const std::string& help) {
  auto* const shape = declare(*graph_.add_input(), name, type, help);
  for (const OnnxAxis& axis : axes)
    if (const auto* size = std::get_if<std::int64_t>(&axis))
      shape->add_dim()->set_dim_value(*size);
    else
      shape->add_dim()->set_dim_param(std::get<const char*>(axis));
  return named(name);
}

void OnnxGraph::output(GraphValue value, const std::string& name, const std::string& help) {
  declare(*graph_.add_output(), name, onnx::TensorProto::FLOAT, help)
      ->add_dim()
      ->set_dim_param(documents_axis);
  node("Identity", {value}, {}, name);
}

GraphValue OnnxGraph::of_parameter(const Parameter& parameter,
                                   const std::vector<std::int64_t>& shape) {
  expect_room(static_cast<std::size_t>(parameter.rows() * parameter.columns()) *
              sizeof(float));  // before its values are copied
  return constant(parameter.name(), parameter.values(), shape);
}

GraphValue OnnxGraph::matrix(const Parameter& parameter) {
  return of_parameter(parameter, {parameter.rows(), parameter.columns()});
}

GraphValue OnnxGraph::vector(const Parameter& parameter) {
  return of_parameter(parameter, {parameter.rows()});
}

GraphValue OnnxGraph::node(const std::string& op, const std::vector<GraphValue>& inputs,
                           const std::vector<OnnxAttribute>& attributes, std::string result) {
  onnx::NodeProto& made = *graph_.add_node();
  made.set_op_type(op);
  for (const GraphValue value : inputs) made.add_input(names_[value.number]);
  for (const OnnxAttribute& attribute : attributes) set_attribute(*made.add_attribute(), attribute);
  if (result.empty()) result = fmt::format("{}_{}", op, graph_.node_size());
  made.set_name(result);
  made.add_output(result);
  return named(result);
}

void OnnxGraph::expect_size(std::size_t bytes) const {
  if (bytes > most_bytes_)
    throw Error(fmt::format("it would have more than {} bytes, the most that ONNX files can hold",
                            most_bytes_));
}

void OnnxGraph::expect_room(std::size_t bytes) const {
  const auto& constants = graph_.initializer();
  expect_size(std::accumulate(constants.begin(), constants.end(), bytes,
                              [](std::size_t sum, const onnx::TensorProto& tensor) {
                                return sum + tensor.raw_data().size();
                              }));
}

}  // namespace ultr
