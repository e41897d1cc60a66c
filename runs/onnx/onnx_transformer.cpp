#include "runs/onnx/onnx_transformer.h"

#include <cmath>
#include <limits>
#include <map>
#include <numbers>

#include "autograd/ops/activations.h"
#include "base/error.h"
#include "runs/onnx/onnx_graph.h"

namespace ultr {
namespace {

/// Adds the parts of a transformer to a graph. Hidden states are float32 [documents, tokens,
/// width].
class TransformerGraph {
 public:
  TransformerGraph(OnnxGraph& graph, const TransformerEncoder& encoder)
      : graph_(graph), encoder_(encoder) {
    ids_ = input("input_ids", "Tokens: [CLS] query [SEP] title [SEP] abstract [SEP], then padding");
    types_ = input("token_type_ids", "Types of the tokens: 0 query, 1 title, 2 abstract");
    is_padding_ = graph_.node(
        "Unsqueeze",
        {graph_.node("Equal", {input("attention_mask", "1 for each token, 0 for padding"),
                               graph_.number("padding", std::int64_t{0})}),
         graph_.constant("axes_of_heads_and_queries", std::vector<std::int64_t>{1, 2}, {2})});
    const auto heads = encoder.shape().heads, width = encoder.shape().width;
    const std::int64_t columns = width / heads;
    split_ = shape("shape_of_heads", {0, 0, heads, columns});  // 0 keeps a size
    join_ = shape("shape_of_states", {0, 0, width});
    per_root_size_ = number("attention.scale", 1 / std::sqrt(static_cast<double>(columns)));
    hidden_score_ = graph_.number("attention.hidden", std::numeric_limits<float>::lowest());
  }

  /// The hidden states of the last block.
  GraphValue states() {
    GraphValue x = norm(embeddings(), encoder_.embedding_norm());
    for (const TransformerBlock& block : encoder_.blocks()) x = applied(block, x);
    return encoder_.final_norm() != nullptr ? norm(x, *encoder_.final_norm()) : x;
  }

 private:
  using enum TransformerBlock::AffinePart;
  using enum TransformerBlock::NormPart;

  GraphValue input(const std::string& name, const std::string& help) {
    return graph_.input(name, onnx::TensorProto::INT64, {OnnxGraph::documents_axis, "tokens"},
                        help);
  }
  GraphValue shape(const std::string& name, const std::vector<std::int64_t>& sizes) {
    return graph_.constant(name, sizes, {static_cast<std::int64_t>(sizes.size())});
  }
  /// Returns a number that all blocks share.
  GraphValue number(const std::string& name, double constant) {
    const auto [found, is_new] = numbers_.try_emplace(name);
    if (is_new) found->second = graph_.number(name, static_cast<float>(constant));
    return found->second;
  }
  GraphValue product(GraphValue a, GraphValue b) { return graph_.node("MatMul", {a, b}); }

  /// Returns `numbers` with those from `count` on replaced by `other`.
  GraphValue below(GraphValue numbers, const std::string& name, std::int64_t count,
                   std::int64_t other) {
    const GraphValue is_below = graph_.node("Less", {numbers, graph_.number(name, count)});
    return graph_.node("Where", {is_below, numbers, graph_.number(name + ".other", other)});
  }

  GraphValue embeddings() {
    const SequenceLayout& layout = encoder_.layout();
    const GraphValue ids = below(ids_, "vocabulary", layout.vocabulary, layout.unknown);
    const GraphValue types = below(types_, "types", layout.types, layout.types - 1);
    const GraphValue tokens =
        graph_.node("Gather", {graph_.node("Shape", {ids_}), shape("axis_of_tokens", {1})});
    const GraphValue places =
        graph_.node("Slice", {graph_.matrix(encoder_.positions()), shape("first_place", {0}),
                              tokens});  // too few of them cannot be added
    const GraphValue words = graph_.node("Gather", {graph_.matrix(encoder_.words()), ids});
    return graph_.add(graph_.add(words, places),
                      graph_.node("Gather", {graph_.matrix(encoder_.types()), types}));
  }

  GraphValue norm(GraphValue x, const NormLayer& layer) {
    const auto mean = [&](GraphValue of) {
      return graph_.node("ReduceMean", {of}, {{"axes", std::vector<std::int64_t>{-1}}});
    };
    const GraphValue centred = graph_.node("Sub", {x, mean(x)});
    const GraphValue variance = mean(graph_.multiply(centred, centred));
    const GraphValue deviation =
        graph_.node("Sqrt", {graph_.add(variance, number("norm.epsilon", NormLayer::epsilon))});
    return graph_.add(
        graph_.multiply(graph_.node("Div", {centred, deviation}), graph_.vector(layer.scale())),
        graph_.vector(layer.shift()));
  }

  GraphValue affine(GraphValue x, const AffineLayer& layer) {
    return graph_.add(product(x, graph_.matrix(layer.weights())), graph_.vector(layer.bias()));
  }

  /// Returns the heads of a matrix, with the axes in the given order.
  GraphValue heads(GraphValue x, const std::vector<std::int64_t>& order) {
    return graph_.node("Transpose", {graph_.node("Reshape", {x, split_})}, {{"perm", order}});
  }

  GraphValue attended(const TransformerBlock& block, GraphValue x) {
    const std::vector<AffineLayer>& layers = block.affine();
    const std::vector<std::int64_t> rows = {0, 2, 1, 3}, columns = {0, 2, 3, 1};
    GraphValue scores =
        product(heads(affine(x, layers[query]), rows), heads(affine(x, layers[key]), columns));
    scores =
        graph_.node("Where", {is_padding_, hidden_score_, graph_.multiply(scores, per_root_size_)});
    const GraphValue weights = graph_.node("Softmax", {scores}, {{"axis", -1}});
    const GraphValue values = product(weights, heads(affine(x, layers[value]), rows));
    const GraphValue joined = graph_.node("Transpose", {values}, {{"perm", rows}});
    return affine(graph_.node("Reshape", {joined, join_}), layers[attention_output]);
  }

  GraphValue transformed(const TransformerBlock& block, GraphValue x) {
    return affine(activated(affine(x, block.affine()[inner])), block.affine()[outer]);
  }

  /// Applies a block as TransformerBlock does, without dropout.
  GraphValue applied(const TransformerBlock& block, GraphValue x) {
    const std::vector<NormLayer>& norms = block.norms();
    if (encoder_.shape().pre_norm) {
      x = graph_.add(x, attended(block, norm(x, norms[of_attention])));
      return graph_.add(x, transformed(block, norm(x, norms[of_inner])));
    }
    x = norm(graph_.add(x, attended(block, x)), norms[of_attention]);
    return norm(graph_.add(x, transformed(block, x)), norms[of_inner]);
  }

  GraphValue activated(GraphValue x) {
    const auto activation = encoder_.shape().activation;
    if (activation == relu) return graph_.relu(x);
    if (activation == elu) return graph_.elu(x);
    if (activation == tanh) return graph_.tanh(x);
    if (activation == gelu)  // x Φ(x)
      return half_of(x, graph_.node("Erf", {times(x, "gelu.slope", std::numbers::sqrt2 / 2)}));
    if (activation == gelu_tanh) {
      const GraphValue cube = graph_.multiply(x, graph_.multiply(x, x));
      const GraphValue u = graph_.add(x, times(cube, "gelu.cubic", 0.044715));
      const double slope = std::sqrt(2 / std::numbers::pi);
      return half_of(x, graph_.tanh(times(u, "gelu.slope", slope)));
    }
    throw Error("ONNX has no operators for its activation function");
  }
  /// x (1 + y) / 2.
  GraphValue half_of(GraphValue x, GraphValue y) {
    return graph_.multiply(times(x, "gelu.half", 0.5), graph_.add(y, number("gelu.one", 1)));
  }
  GraphValue times(GraphValue x, const std::string& name, double factor) {
    return graph_.multiply(x, number(name, factor));
  }

  OnnxGraph& graph_;
  const TransformerEncoder& encoder_;
  GraphValue ids_, types_, is_padding_;
  GraphValue split_, join_, per_root_size_, hidden_score_;
  std::map<std::string, GraphValue> numbers_;
};

}  // namespace

GraphValue transformer_logits(OnnxGraph& graph, const TransformerTower& tower) {
  const GraphValue states = TransformerGraph(graph, tower.encoder()).states();
  const GraphValue first =
      graph.node("Gather", {states, graph.number("place_of_cls", std::int64_t{0})}, {{"axis", 1}});
  return tower.head().graph(graph, first);
}

}  // namespace ultr
