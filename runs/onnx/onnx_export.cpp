#include "runs/onnx/onnx_export.h"

#include <limits>
#include <vector>

#include <fmt/core.h>

#include "base/version.h"
#include "dsl/relevance_layer.h"
#include "runs/onnx/onnx_graph.h"
#include "runs/onnx/onnx_transformer.h"
#include "runs/onnx/onnx_trees.h"

namespace ultr {
namespace {

constexpr int opset = 13, ir_version = 7;  // supported by runtimes since 2020

/// ln(1 + y) for y of at least 0, as exact as std::log1p: y ln(u) / (u - 1) with u = 1 + y as it is
/// rounded.
GraphValue log1p(OnnxGraph& graph, GraphValue y) {
  const GraphValue one = graph.number("scaling.one", 1.0);
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
    const GraphValue positive = graph.node("Greater", {x, graph.number("scaling.zero", 0.0)});
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
  return graph.node("Gather", {features, columns}, {{"axis", 1}});
}

/// Returns the logits of a tower over features, with the raw features as the graph's input. Empty
/// if the layer needs anything else.
std::optional<GraphValue> feature_logits(OnnxGraph& graph, const LogitLayer& layer,
                                         const FeatureScaling& scaling, const BiasColumns& bias) {
  const auto count = static_cast<std::int64_t>(scaling.features());
  const GraphValue features =
      graph.input("features", onnx::TensorProto::FLOAT, {OnnxGraph::documents_axis, count},
                  fmt::format("{} raw features per document", count));
  return layer.graph(graph, without_bias(graph, scaled(graph, features, scaling), bias));
}

void import_operators(onnx::ModelProto& file, const char* domain, int version) {
  auto* operators = file.add_opset_import();
  operators->set_domain(domain);
  operators->set_version(version);
}

void add_metadata(onnx::ModelProto& file, const std::string& name, std::int64_t value) {
  auto* metadata = file.add_metadata_props();
  metadata->set_key(name);
  metadata->set_value(fmt::format("{}", value));
}

/// Says what the file is and what it reads.
void describe(onnx::ModelProto& file, const std::string& model, const FeatureScaling& scaling,
              const TransformerTower* transformer) {
  const std::string learned =
      fmt::format("Relevance logits to rank documents by, learned by '{}'", model);
  if (transformer == nullptr) {
    file.set_doc_string(fmt::format(
        "{} from {} features. Features are as in the data files; the graph scales them.", learned,
        scaling.features()));
    add_metadata(file, "features", static_cast<std::int64_t>(scaling.features()));
    return;
  }
  file.set_doc_string(fmt::format("{} from the words of queries and documents.", learned));
  for (const auto& [name, value] : named_numbers(transformer->layout()))
    add_metadata(file, name, value);
}

}  // namespace

std::optional<std::string> relevance_onnx(const TrainableModel& model,
                                          const FeatureScaling& scaling, const BiasColumns& bias,
                                          std::size_t most_bytes) {
  const TrainableModel::Layer* relevance = relevance_layer(model);
  if (relevance == nullptr) return std::nullopt;
  const auto* transformer = dynamic_cast<const TransformerTower*>(relevance->layer.get());
  onnx::ModelProto file;
  file.set_ir_version(ir_version);
  file.set_producer_name("ultr");
  file.set_producer_version(version());
  import_operators(file, "", opset);
  describe(file, model.type(), scaling, transformer);
  file.mutable_graph()->set_name("relevance");
  OnnxGraph graph(*file.mutable_graph(), most_bytes);
  const std::optional<GraphValue> logits =
      transformer != nullptr ? transformer_logits(graph, *transformer)
                             : feature_logits(graph, *relevance->layer, scaling, bias);
  if (!logits) return std::nullopt;
  if (graph.has_trees()) import_operators(file, onnx_tree_domain, onnx_tree_opset);
  const GraphValue all = graph.constant("one_a_document", std::vector<std::int64_t>{-1}, {1});
  graph.output(graph.node("Reshape", {*logits, all}), "relevance", "Logit of each document");
  graph.expect_size(file.ByteSizeLong());
  return file.SerializeAsString();
}

}  // namespace ultr
