#include "layers/graph_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "autograd/ops/activations.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/matmul.h"
#include "base/error.h"
#include "layers/layers.h"
#include "layers/listed_inputs.h"
#include "options/config_tree.h"
#include "options/read.h"

namespace ultr::graph_builder_test {
namespace {

/// A builder that records graphs on a tape.
class TapeGraph final : public GraphBuilder {
 public:
  GraphValue value(Tensor x) {
    values_.push_back(x);
    return {values_.size() - 1};
  }
  Tensor tensor(GraphValue x) const { return values_[x.number]; }

  GraphValue affine(GraphValue x, const Parameter& weights, const Parameter& bias) override {
    Tape& tape = tensor(x).tape();
    return value(
        ultr::affine(tensor(x), read_matrix(tape, weights.view()), read(tape, bias.view())));
  }
  GraphValue relu(GraphValue x) override { return value(ultr::relu(tensor(x))); }
  GraphValue elu(GraphValue x) override { return value(ultr::elu(tensor(x))); }
  GraphValue tanh(GraphValue x) override { return value(ultr::tanh(tensor(x))); }
  GraphValue add(GraphValue a, GraphValue b) override { return value(tensor(a) + tensor(b)); }
  GraphValue multiply(GraphValue a, GraphValue b) override { return value(tensor(a) * tensor(b)); }
  GraphValue concat_columns(GraphValue a, GraphValue b) override {
    return value(ultr::concat_columns(tensor(a), tensor(b)));
  }
  GraphValue trees(GraphValue, std::span<const RegressionTree>, float) override {
    throw Error("no op computes trees");
  }

 private:
  std::vector<Tensor> values_;
};

std::unique_ptr<LogitLayer> build(const std::string& type, const std::string& yaml, Domain domain) {
  const Choice choice(layer_types(), type);
  read_options(parse_config(yaml, "test"), *choice.options);
  auto layer = choice.as<LayerOptions>().build({.name = "x",
                                                .domain = domain,
                                                .entries = 6,
                                                .features = testing::listed_columns(domain),
                                                .start = 0.5,
                                                .seed = 3});
  // Moves biases off their start at 0, where a graph without them would be right too.
  for (Parameter* parameter : layer->parameters())
    for (std::int64_t row = 0; row < parameter->rows(); ++row)
      parameter->value(row) += 0.1f * static_cast<float>(row + 1);
  return layer;
}

TEST(GraphBuilderTest, EveryTowersGraphComputesItsLogits) {
  using Case = std::pair<std::string, std::string>;
  for (const auto& [type, yaml] :
       {Case{"linear", "{}"}, Case{"mlp", "{widths: [4, 3], dropout: 0.5}"},
        Case{"mlp", "{widths: [4], activation: elu}"},
        Case{"mlp", "{widths: [4], activation: tanh}"}, Case{"deep_cross", "{widths: [4]}"},
        Case{"deep_cross", "{widths: [4], cross_layers: 3, structure: parallel}"}}) {
    const auto layer = build(type, yaml, Domain::document);
    Tape tape(Precision::float64);
    const testing::ListedInputs inputs(tape, {3, 0, 5, 1});
    TapeGraph graph;
    const auto logits = layer->graph(graph, graph.value(inputs.features(Domain::document)));
    ASSERT_TRUE(logits) << type;
    EXPECT_EQ(graph.tensor(*logits).shape().columns, 1);
    EXPECT_THAT(
        graph.tensor(*logits).values(),
        ::testing::Pointwise(::testing::DoubleNear(1e-12), inputs.logits_of(*layer).values()))
        << type << yaml;
  }
}

TEST(GraphBuilderTest, LayersThatNeedMoreThanFeaturesHaveNone) {
  const auto has_graph = [](const std::string& type, Domain domain) {
    Tape tape;
    TapeGraph graph;
    const testing::ListedInputs inputs(tape, {0});
    return build(type, "{}", domain)
        ->graph(graph, graph.value(inputs.features(domain)))
        .has_value();
  };
  EXPECT_FALSE(has_graph("embedding", Domain::document));
  EXPECT_FALSE(has_graph("table", Domain::rank));
  for (const char* tower : {"linear", "mlp", "deep_cross"}) {
    EXPECT_TRUE(has_graph(tower, Domain::document));
    EXPECT_FALSE(has_graph(tower, Domain::document_rank)) << "positions";
    EXPECT_FALSE(has_graph(tower, Domain::rank)) << "entries";
  }
}

}  // namespace
}  // namespace ultr::graph_builder_test
