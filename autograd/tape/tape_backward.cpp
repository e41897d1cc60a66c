#include <algorithm>
#include <cstring>

#include <fmt/core.h>

#include "autograd/tape/tape.h"
#include "base/error.h"

namespace ultr {

void Tape::plan_backward(NodeId loss) {
  backward_.clear();
  zeroed_.clear();
  views_.clear();
  // The first writer of a gradient overwrites it, so that gradients need not be cleared. The
  // writers of a value with views each see only a part of it, so its gradient is cleared instead.
  written_.assign(nodes_.size(), false);
  for (NodeId id = 0; id < nodes_.size(); ++id) {
    Node& node = nodes_[id];
    node.planned = false;
    if (node.is_view()) written_[id] = written_[node.inputs[0]] = true;
  }
  nodes_[loss].planned = nodes_[loss].requires_gradient;
  for (NodeId id = loss + 1; id-- > 0;) {
    const Node& node = nodes_[id];
    if (!node.planned) continue;
    for (const NodeId input : node.inputs)
      nodes_[input].planned = nodes_[input].planned || nodes_[input].requires_gradient;
    if (node.kernel != nullptr && node.kernel->backward != nullptr && !node.is_view())
      backward_.push_back(id);
  }
  for (NodeId id = 0; id <= loss; ++id) {
    Node& node = nodes_[id];
    if (!node.planned) continue;
    if (node.is_view()) {
      views_.push_back(id);
      continue;
    }
    if (node.gradient == nullptr)
      node.gradient =
          arena_.allocate(static_cast<std::size_t>(node.shape.capacity()) * element_bytes());
    if (written_[id] && id != loss) zeroed_.push_back(id);
  }
  written_[loss] = true;
  for (const NodeId id : backward_) {
    const Node& node = nodes_[id];
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      node.adds[i] = written_[node.inputs[i]];
      written_[node.inputs[i]] = true;
    }
  }
  planned_loss_ = loss;
  planned_nodes_ = static_cast<NodeId>(nodes_.size());
}

void Tape::place_view(Node& view) {
  const Node& whole = nodes_[view.inputs[0]];
  const auto offset = static_cast<std::size_t>(size_of(view.range.begin) * whole.shape.columns);
  view.gradient = whole.gradient + offset * element_bytes();
}

void Tape::backward(Tensor loss, double seed) {
  if (!gradients()) throw Error("backward: this tape was made without gradients");
  if (!loss.shape().single())
    throw ShapeError(
        fmt::format("backward: the loss is {}; expected one element", to_string(loss.shape())));
  if (!nodes_[loss.node()].demand.needed)
    throw Error("backward: the loss is not among the outputs that require() declared");
  forward();
  sparse_gradients_.clear();
  dense_gradients_.clear();
  if (planned_loss_ != loss.node() || planned_nodes_ != nodes_.size()) plan_backward(loss.node());
  Node& root = nodes_[loss.node()];
  if (!root.planned) return;
  for (const NodeId id : zeroed_) {
    const Node& node = nodes_[id];
    std::memset(node.gradient, 0, static_cast<std::size_t>(size_of(node.shape)) * element_bytes());
  }
  for (const NodeId id : views_) place_view(nodes_[id]);
  if (precision_ == Precision::float32)
    *reinterpret_cast<float*>(root.gradient) = static_cast<float>(seed);
  else
    *reinterpret_cast<double*>(root.gradient) = seed;
  for (const NodeId id : backward_) nodes_[id].kernel->backward(*this, nodes_[id]);
  std::reverse(sparse_gradients_.begin(), sparse_gradients_.end());  // reported last first
  for (const ReadParameter& read : read_parameters_)
    if (nodes_[read.node].planned)
      dense_gradients_.push_back({read.parameter, nodes_[read.node].gradient});
}

}  // namespace ultr
