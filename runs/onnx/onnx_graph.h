#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <onnx/onnx_pb.h>

#include "layers/graph_builder.h"
#include "layers/parameter.h"

namespace ultr {

/// An attribute of an ONNX operator: an integer or a list of them.
using OnnxAttribute = std::pair<const char*, std::variant<std::int64_t, std::vector<std::int64_t>>>;

/// An axis of an input: a name, if its size may vary, or a size.
using OnnxAxis = std::variant<const char*, std::int64_t>;

/// Returns the ONNX tensor type of a C++ number type.
template <class T>
constexpr onnx::TensorProto::DataType onnx_type() = delete;
template <>
constexpr onnx::TensorProto::DataType onnx_type<float>() {
  return onnx::TensorProto::FLOAT;
}
template <>
constexpr onnx::TensorProto::DataType onnx_type<double>() {
  return onnx::TensorProto::DOUBLE;
}
template <>
constexpr onnx::TensorProto::DataType onnx_type<std::int64_t>() {
  return onnx::TensorProto::INT64;
}

/// A graph of ONNX operators. Its values have names.
class OnnxGraph final : public GraphBuilder {
 public:
  /// Name of the axis with one entry per document.
  static constexpr const char* documents_axis = "documents";

  /// `most_bytes`: see relevance_onnx.
  OnnxGraph(onnx::GraphProto& graph, std::size_t most_bytes)
      : graph_(graph), most_bytes_(most_bytes) {}

  GraphValue affine(GraphValue x, const Parameter& weights, const Parameter& bias) override {
    return node("Gemm", {x, matrix(weights), vector(bias)});
  }
  GraphValue relu(GraphValue x) override { return node("Relu", {x}); }
  GraphValue elu(GraphValue x) override { return node("Elu", {x}); }  // α = 1
  GraphValue tanh(GraphValue x) override { return node("Tanh", {x}); }
  GraphValue add(GraphValue a, GraphValue b) override { return node("Add", {a, b}); }
  GraphValue multiply(GraphValue a, GraphValue b) override { return node("Mul", {a, b}); }
  GraphValue concat_columns(GraphValue a, GraphValue b) override {
    return node("Concat", {a, b}, {{"axis", 1}});
  }
  GraphValue trees(GraphValue x, std::span<const RegressionTree> trees, float start) override;
  bool has_trees() const { return has_trees_; }

  /// Declares an input of the graph.
  GraphValue input(const std::string& name, onnx::TensorProto::DataType type,
                   const std::vector<OnnxAxis>& axes, const std::string& help);
  /// Declares `value`, float32 [documents], as the output of the graph.
  void output(GraphValue value, const std::string& name, const std::string& help);

  /// Adds constants. Throw Error if they make the file too large.
  template <class T>
  GraphValue constant(const std::string& name, const std::vector<T>& values,
                      const std::vector<std::int64_t>& shape) {
    expect_room(values.size() * sizeof(T));
    onnx::TensorProto& tensor = *graph_.add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(onnx_type<T>());
    for (const std::int64_t size : shape) tensor.add_dims(size);
    tensor.set_raw_data(values.data(), values.size() * sizeof(T));
    return named(name);
  }
  template <class T>
  GraphValue number(const std::string& name, T value) {
    return constant(name, std::vector<T>{value}, {});
  }
  /// Adds the values of a parameter: [rows, columns], or [rows] of one with a single column.
  GraphValue matrix(const Parameter& parameter);
  GraphValue vector(const Parameter& parameter);

  /// Adds an operator and returns its result.
  GraphValue node(const std::string& op, const std::vector<GraphValue>& inputs,
                  const std::vector<OnnxAttribute>& attributes = {}, std::string result = "");
  GraphValue cast(GraphValue x, onnx::TensorProto::DataType type) {
    return node("Cast", {x}, {{"to", type}});
  }
  /// Throws Error unless a file of this size may be written.
  void expect_size(std::size_t bytes) const;

 private:
  /// Throws Error unless the file has room for a further constant.
  void expect_room(std::size_t bytes) const;
  GraphValue of_parameter(const Parameter& parameter, const std::vector<std::int64_t>& shape);
  GraphValue named(const std::string& name) {
    names_.push_back(name);
    return {names_.size() - 1};
  }

  onnx::GraphProto& graph_;
  std::size_t most_bytes_;
  std::vector<std::string> names_;
  bool has_trees_ = false;
};

}  // namespace ultr
