#include "runs/onnx_export.h"

#include <limits>
#include <vector>

#include <fmt/core.h>
#include <onnx/onnx_pb.h>

#include "base/version.h"
#include "dsl/relevance_layer.h"
#include "layers/graph_builder.h"
#include "layers/parameter.h"
#include "runs/onnx_trees.h"

namespace ultr {
namespace {

constexpr int opset = 13, ir_version = 7;  // supported by runtimes since 2020
constexpr const char* documents_axis = "documents";

/// ONNX tensor types of C++ number types.
template <class T>
constexpr auto onnx_type = onnx::TensorProto::FLOAT;
template <>
constexpr auto onnx_type<double> = onnx::TensorProto::DOUBLE;
template <>
constexpr auto onnx_type<std::int64_t> = onnx::TensorProto::INT64;

/// A graph of ONNX operators. Its values have names.
class OnnxGraph final : public GraphBuilder {
 public:
  explicit OnnxGraph(onnx::GraphProto& graph) : graph_(graph) {}

  GraphValue affine(GraphValue x, const Parameter& weights, const Parameter& bias) override {
    const GraphValue w =
        constant(weights.name(), weights.values(), {weights.rows(), weights.columns()});
    return node("Gemm", {x, w, constant(bias.name(), bias.values(), {bias.rows()})});
  }
  GraphValue relu(GraphValue x) override { return node("Relu", {x}); }
  GraphValue elu(GraphValue x) override { return node("Elu", {x}); }  // α = 1
  GraphValue tanh(GraphValue x) override { return node("Tanh", {x}); }
  GraphValue add(GraphValue a, GraphValue b) override { return node("Add", {a, b}); }
  GraphValue multiply(GraphValue a, GraphValue b) override { return node("Mul", {a, b}); }
  GraphValue concat_columns(GraphValue a, GraphValue b) override {
    const GraphValue joined = node("Concat", {a, b});
    set_integer("axis", 1);
    return joined;
  }
  GraphValue trees(GraphValue x, std::span<const RegressionTree> trees, float start) override {
    const GraphValue sum = node("TreeEnsembleRegressor", {x});
    set_trees(*graph_.mutable_node(graph_.node_size() - 1), trees, start);
    has_trees_ = true;
    return sum;
  }
  bool has_trees() const { return has_trees_; }

  /// Returns columns of x, by number.
  GraphValue columns(GraphValue x, GraphValue numbers) {
    const GraphValue gathered = node("Gather", {x, numbers});
    set_integer("axis", 1);
    return gathered;
  }
  /// Declares an input of the graph: float32 [documents, columns].
  GraphValue input(const std::string& name, std::int64_t columns, const std::string& help) {
    auto* shape = declare(*graph_.add_input(), name, help);
    shape->add_dim()->set_dim_param(documents_axis);
    shape->add_dim()->set_dim_value(columns);
    return named(name);
  }
  /// Declares `value`, float32 [documents], as the output of the graph.
  void output(GraphValue value, const std::string& name, const std::string& help) {
    declare(*graph_.add_output(), name, help)->add_dim()->set_dim_param(documents_axis);
    node("Identity", {value}, name);
  }

  template <class T>
  GraphValue constant(const std::string& name, const std::vector<T>& values,
                      const std::vector<std::int64_t>& shape) {
    onnx::TensorProto& tensor = *graph_.add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(onnx_type<T>);
    for (const std::int64_t size : shape) tensor.add_dims(size);
    tensor.set_raw_data(values.data(), values.size() * sizeof(T));
    return named(name);
  }
  GraphValue number(const std::string& name, double value) {
    return constant(name, std::vector<double>{value}, {});
  }
  GraphValue cast(GraphValue x, onnx::TensorProto::DataType type) {
    const GraphValue converted = node("Cast", {x});
    set_integer("to", type);
    return converted;
  }
  /// Adds an operator and returns its result.
  GraphValue node(const std::string& op, const std::vector<GraphValue>& inputs,
                  std::string result = "") {
    onnx::NodeProto& made = *graph_.add_node();
    made.set_op_type(op);
    for (const GraphValue value : inputs) made.add_input(names_[value.number]);
    if (result.empty()) result = fmt::format("{}_{}", op, graph_.node_size());
    made.set_name(result);
    made.add_output(result);
    return named(result);
  }

 private:
  GraphValue named(const std::string& name) {
    names_.push_back(name);
    return {names_.size() - 1};
  }
  /// Sets an attribute of the last node.
  void set_integer(const std::string& name, std::int64_t value) {
    onnx::AttributeProto& attribute = *graph_.mutable_node(graph_.node_size() - 1)->add_attribute();
    attribute.set_name(name);
    attribute.set_type(onnx::AttributeProto::INT);
    attribute.set_i(value);
  }
  static onnx::TensorShapeProto* declare(onnx::ValueInfoProto& value, const std::string& name,
                                         const std::string& help) {
    value.set_name(name);
    value.set_doc_string(help);
    auto* type = value.mutable_type()->mutable_tensor_type();
    type->set_elem_type(onnx::TensorProto::FLOAT);
    return type->mutable_shape();
  }

  onnx::GraphProto& graph_;
  std::vector<std::string> names_;
  bool has_trees_ = false;
};

/// ln(1 + y) for y of at least 0, as exact as std::log1p: y ln(u) / (u - 1) with u = 1 + y as it is
/// rounded.
GraphValue log1p(OnnxGraph& graph, GraphValue y) {
  const GraphValue one = graph.number("scaling.one", 1);
  const GraphValue u = graph.node("Add", {y, one});
  const GraphValue added = graph.node("Sub", {u, one});
  const GraphValue quotient = graph.node("Div", {graph.node("Log", {u}), added});
  const GraphValue tiny = graph.node("Equal", {u, one});
  return graph.node("Where", {tiny, y, graph.node("Mul", {y, quotient})});
}

/// Applies the formula of FeatureScaling, in its order of operations.
GraphValue scaled(OnnxGraph& graph, GraphValue features, const FeatureScaling& scaling) {
  std::vector<double> low, high, mean, deviation;
  for (const FeatureScaling::Feature& feature : scaling.statistics()) {
    low.push_back(feature.low);
    high.push_back(feature.high);
    mean.push_back(feature.mean);
    deviation.push_back(feature.deviation);
  }
  const auto row = [&](const std::string& name, const std::vector<double>& values) {
    return graph.constant("scaling." + name, values, {static_cast<std::int64_t>(values.size())});
  };
  GraphValue x = graph.cast(features, onnx::TensorProto::DOUBLE);
  const GraphValue present = graph.node(
      "Less", {graph.node("Abs", {x}), graph.number("scaling.sentinel", scaling.sentinel())});
  if (scaling.keeps_missing()) {
    constexpr double missing = std::numeric_limits<double>::quiet_NaN();
    x = graph.node("Where", {present, x, graph.number("scaling.missing", missing)});
  } else {
    const GraphValue positive = graph.node("Greater", {x, graph.number("scaling.zero", 0)});
    const GraphValue replaced = graph.node("Where", {positive, row("high", high), row("low", low)});
    x = graph.node("Where", {present, x, replaced});
  }
  if (scaling.log1p()) {
    x = graph.node("Mul", {graph.node("Sign", {x}), log1p(graph, graph.node("Abs", {x}))});
  }
  x = graph.node("Sub", {x, row("mean", mean)});
  x = graph.node("Div", {x, row("deviation", deviation)});
  return graph.cast(x, onnx::TensorProto::FLOAT);
}

/// Returns all but the bias features, in the order in which towers read them.
GraphValue without_bias(OnnxGraph& graph, GraphValue features, const BiasColumns& bias) {
  if (bias.empty()) return features;
  const auto order = bias.order().first(bias.order().size() - bias.count());
  const GraphValue columns =
      graph.constant("relevance_features", std::vector<std::int64_t>(order.begin(), order.end()),
                     {static_cast<std::int64_t>(order.size())});
  return graph.columns(features, columns);
}

}  // namespace

std::optional<std::string> relevance_onnx(const TrainableModel& model,
                                          const FeatureScaling& scaling, const BiasColumns& bias) {
  const TrainableModel::Layer* relevance = relevance_layer(model);
  if (relevance == nullptr) return std::nullopt;
  onnx::ModelProto file;
  file.set_ir_version(ir_version);
  auto* operators = file.add_opset_import();
  operators->set_domain("");
  operators->set_version(opset);
  file.set_producer_name("ultr");
  file.set_producer_version(version());
  file.set_doc_string(fmt::format(
      "Relevance logits to rank documents by, learned by '{}' from {} features. Features are as in "
      "the data files; the graph scales them.",
      model.type(), scaling.features()));
  auto* metadata = file.add_metadata_props();
  metadata->set_key("features");
  metadata->set_value(fmt::format("{}", scaling.features()));

  file.mutable_graph()->set_name("relevance");
  OnnxGraph graph(*file.mutable_graph());
  const GraphValue features =
      graph.input("features", static_cast<std::int64_t>(scaling.features()),
                  fmt::format("{} raw features per document", scaling.features()));
  const auto logits =
      relevance->layer->graph(graph, without_bias(graph, scaled(graph, features, scaling), bias));
  if (!logits) return std::nullopt;
  const GraphValue all = graph.constant("one_a_document", std::vector<std::int64_t>{-1}, {1});
  if (graph.has_trees()) {
    operators = file.add_opset_import();
    operators->set_domain(onnx_tree_domain);
    operators->set_version(onnx_tree_opset);
  }
  graph.output(graph.node("Reshape", {*logits, all}), "relevance", "Logit of each document");
  return file.SerializeAsString();
}

}  // namespace ultr
