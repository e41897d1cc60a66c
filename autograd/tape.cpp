#include "autograd/tape.h"

#include <algorithm>
#include <cstring>

#include <fmt/core.h>

#include "autograd/compaction.h"
#include "base/error.h"

namespace ultr {

Demand Demand::with(Condition condition) const {
  Demand result = *this;
  const auto known = all();
  if (count < most && std::find(known.begin(), known.end(), condition) == known.end())
    result.conditions[result.count++] = condition;
  return result;
}

Demand Demand::join(const Demand& other) const {
  if (!needed) return other;
  if (!other.needed) return *this;
  const auto theirs = other.all();
  return filter([&](const Condition& condition) {
    return std::find(theirs.begin(), theirs.end(), condition) != theirs.end();
  });
}

Demand demand_same_rows(const Tape& tape, const Node& node, std::size_t input, const Demand& own) {
  const Shape& shape = tape.node(node.inputs[input]).shape;
  return shape.rank == node.shape.rank && shape.rows == node.shape.rows ? own
                                                                        : Demand::everywhere();
}

// Tensor
// -------------------------------------------------------------------------------------------

namespace {

std::vector<double> to_doubles(const Tape& tape, const std::byte* memory, std::int64_t count) {
  std::vector<double> result(static_cast<std::size_t>(count));
  if (memory == nullptr) return result;
  if (tape.precision() == Precision::float32) {
    const auto* values = reinterpret_cast<const float*>(memory);
    std::copy(values, values + count, result.begin());
  } else {
    const auto* values = reinterpret_cast<const double*>(memory);
    std::copy(values, values + count, result.begin());
  }
  return result;
}

}  // namespace

const Shape& Tensor::shape() const { return tape_->node(node_).shape; }

std::int64_t Tensor::size() const { return tape_->size_of(shape()); }

std::vector<double> Tensor::values() const {
  tape_->forward();
  return to_doubles(*tape_, tape_->node(node_).value, size());
}

double Tensor::item() const {
  if (size() != 1)
    throw ShapeError(
        fmt::format("item: the tensor is {}; expected one element", to_string(shape())));
  tape_->forward();
  const std::byte* value = tape_->node(node_).value;  // read in place: training asks every step
  return tape_->precision() == Precision::float32
             ? static_cast<double>(*reinterpret_cast<const float*>(value))
             : *reinterpret_cast<const double*>(value);
}

std::vector<double> Tensor::gradient() const {
  const Node& node = tape_->node(node_);
  return to_doubles(*tape_, node.planned ? node.gradient : nullptr, size());
}

// Leaves
// -------------------------------------------------------------------------------------------

Tape::Tape(Precision precision, Gradients gradients)
    : precision_(precision), gradients_(gradients) {}

NodeId Tape::leaf(NodeKind kind, const Shape& shape, std::string_view name) {
  return record(name, kind, shape, nullptr, {}, false).id;
}

void Tape::check_count(const Node& node, std::size_t count) const {
  const std::int64_t expected = size_of(node.shape);
  if (static_cast<std::int64_t>(count) != expected)
    throw ShapeError(fmt::format("{}: {} values for a tensor of {}; expected {}", node.name, count,
                                 to_string(node.shape), expected));
}

template <class From>
void Tape::copy_values(Node& node, std::span<const From> values) {
  if (node.own == nullptr)
    node.own = arena_.allocate(static_cast<std::size_t>(node.shape.capacity()) * element_bytes());
  node.value = node.own;
  if (precision_ == Precision::float32)
    std::transform(values.begin(), values.end(), reinterpret_cast<float*>(node.own),
                   [](From x) { return static_cast<float>(x); });
  else
    std::transform(values.begin(), values.end(), reinterpret_cast<double*>(node.own),
                   [](From x) { return static_cast<double>(x); });
}

Tensor Tape::constant(double value) { return constant(Shape::scalar(), std::span(&value, 1)); }

Tensor Tape::constant(const Shape& shape, std::span<const double> values) {
  const NodeId id = leaf(NodeKind::real, shape, "constant");
  check_count(nodes_[id], values.size());
  copy_values(nodes_[id], values);
  return {*this, id};
}

Tensor Tape::variable(const Shape& shape, std::span<const double> values) {
  const NodeId id = leaf(NodeKind::real, shape, "variable");
  check_count(nodes_[id], values.size());
  copy_values(nodes_[id], values);
  nodes_[id].requires_gradient = gradients();
  return {*this, id};
}

Tensor Tape::input(const Shape& shape) { return {*this, leaf(NodeKind::real, shape, "input")}; }

Mask Tape::mask(Extent rows) { return {this, leaf(NodeKind::mask, Shape::vector(rows), "mask")}; }

Index Tape::index(Extent rows) {
  return {this, leaf(NodeKind::index, Shape::vector(rows), "index")};
}

Extent Tape::extent(std::int64_t capacity) {
  sizes_.push_back(capacity);
  return {static_cast<std::int32_t>(sizes_.size() - 1), capacity};
}

// Binding
// ------------------------------------------------------------------------------------------

void Tape::bind(Extent extent, std::int64_t size) {
  if (extent.fixed() ? size != extent.capacity() : (size < 0 || size > extent.capacity()))
    throw ShapeError(fmt::format("bind: size {}; expected {} {}", size,
                                 extent.fixed() ? "exactly" : "0 to", extent.capacity()));
  if (!extent.fixed()) sizes_[static_cast<std::size_t>(extent.slot())] = size;
}

template <class From>
void Tape::bind_values(Tensor input, std::span<const From> values) {
  Node& node = nodes_[input.node()];
  check_count(node, values.size());
  if (sizeof(From) == element_bytes())
    node.value = reinterpret_cast<std::byte*>(const_cast<From*>(values.data()));  // only read
  else
    copy_values(node, values);
}

void Tape::bind(Tensor input, std::span<const float> values) { bind_values(input, values); }
void Tape::bind(Tensor input, std::span<const double> values) { bind_values(input, values); }

void Tape::bind(Mask mask, std::span<const std::uint8_t> values) {
  Node& node = nodes_[mask.node];
  check_count(node, values.size());
  node.value = reinterpret_cast<std::byte*>(const_cast<std::uint8_t*>(values.data()));  // only read
}

void Tape::bind(Index index, std::span<const std::uint32_t> values, std::span<const Run> runs) {
  Node& node = nodes_[index.node];
  check_count(node, values.size());
  node.value =
      reinterpret_cast<std::byte*>(const_cast<std::uint32_t*>(values.data()));  // only read
  const auto known = std::find_if(runs_.begin(), runs_.end(),
                                  [&](const IndexRuns& r) { return r.index == index.node; });
  if (known != runs_.end())
    known->runs = runs;
  else
    runs_.push_back({index.node, runs});
}

std::span<const Run> Tape::runs_of(NodeId index) const {
  for (const IndexRuns& known : runs_)
    if (known.index == index) return known.runs;
  return {};
}

void Tape::assign(Tensor variable, std::span<const double> values) {
  Node& node = nodes_[variable.node()];
  check_count(node, values.size());
  copy_values(node, values);
}

// Recording
// ----------------------------------------------------------------------------------------

Tape::Recorded Tape::record(std::string_view name, NodeKind kind, const Shape& shape,
                            const Kernels* kernels, std::span<const NodeId> inputs,
                            bool own_value) {
  const Kernel* kernel = nullptr;
  if (kernels != nullptr)
    kernel = precision_ == Precision::float32 ? &kernels->float32 : &kernels->float64;
  Node node;
  node.name = name;
  node.kind = kind;
  node.shape = shape;
  node.kernel = kernel;
  node.inputs = arena_.copy(inputs);
  if (!inputs.empty()) {
    node.adds = {reinterpret_cast<bool*>(arena_.allocate(inputs.size())), inputs.size()};
    std::fill(node.adds.begin(), node.adds.end(), false);
  }
  if (gradients() && kernel != nullptr && kernel->backward != nullptr)
    node.requires_gradient = std::any_of(inputs.begin(), inputs.end(), [&](NodeId input) {
      return nodes_[input].requires_gradient;
    });
  if (own_value) {
    const std::size_t bytes = kind == NodeKind::real    ? element_bytes()
                              : kind == NodeKind::index ? sizeof(std::uint32_t)
                                                        : 1;
    node.own = arena_.allocate(static_cast<std::size_t>(shape.capacity()) * bytes);
    node.value = node.own;
  }
  nodes_.push_back(node);
  return {nodes_.back(), static_cast<NodeId>(nodes_.size() - 1)};
}

void Tape::register_parameter(NodeId node, const ParameterView* parameter, bool sparse) {
  if (!gradients()) return;
  nodes_[node].requires_gradient = true;
  (sparse ? gathered_parameters_ : read_parameters_).push_back({node, parameter});
}

std::vector<std::uint32_t> Tape::gathered_rows(const ParameterView& parameter) const {
  std::vector<std::uint32_t> rows;
  for (const ReadParameter& gathered : gathered_parameters_) {
    const Node& node = nodes_[gathered.node];
    if (gathered.parameter != &parameter || !node.demand.needed) continue;
    const Node& indices = nodes_[node.inputs[0]];
    const auto* index = reinterpret_cast<const std::uint32_t*>(indices.value);
    rows.insert(rows.end(), index, index + size_of(indices.shape.rows));
  }
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  return rows;
}

void Tape::require(std::span<const Tensor> outputs) {
  undo_compaction(nodes_);  // demands follow from the recorded shapes
  for (Node& node : nodes_) node.demand = {};
  for (const Tensor& output : outputs) nodes_[output.node()].demand = Demand::everywhere();
  for (std::size_t id = nodes_.size(); id-- > 0;) {
    const Node& node = nodes_[id];
    if (!node.demand.needed) continue;
    // Gathers may use this mask to choose the rows they read, although it is not an input of the
    // slice.
    if (node.range.within.tape != nullptr)
      nodes_[node.range.within.node].demand = Demand::everywhere();
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      Node& input = nodes_[node.inputs[i]];
      const auto demand = node.kernel->demand;
      input.demand = input.demand.join(demand == nullptr ? Demand::everywhere()
                                                         : demand(*this, node, i, node.demand));
    }
  }
  for (NodeId id = 0; id < nodes_.size(); ++id)
    nodes_[id].demand = nodes_[id].demand.filter(
        [&](const Condition& condition) { return known_before(nodes_, condition.mask, id); });
  plan_compaction(nodes_);
  planned_loss_ = no_node;  // inputs may have changed
  done_ = 0;
}

// Running
// ------------------------------------------------------------------------------------------

void Tape::run(NodeId from, NodeId to) {
  for (NodeId id = from; id < to; ++id) {
    Node& node = nodes_[id];
    if (!node.demand.needed || node.kernel == nullptr) continue;
    if (stopped_values_frozen_ && node.kernel->stops_gradient) continue;
    node.kernel->forward(*this, node);
  }
}

void Tape::forward() {
  run(done_, static_cast<NodeId>(nodes_.size()));
  done_ = static_cast<NodeId>(nodes_.size());
}

void Tape::replay() {
  done_ = 0;
  forward();
  row_prefetcher_ = {};
}

void Tape::prefetch_rows(Index index, std::span<const std::uint32_t> entries) {
  row_prefetcher_ = {};
  for (const ReadParameter& gathered : gathered_parameters_) {
    const Node& node = nodes_[gathered.node];
    if (node.inputs[0] != index.node || !node.demand.needed || node.demand.count > 0) continue;
    const ParameterView& parameter = *gathered.parameter;
    const std::size_t bytes = parameter.precision == Precision::float32 ? 4 : 8;
    if (parameter.listed.empty())
      row_prefetcher_ = {parameter.values, static_cast<std::size_t>(parameter.stride) * bytes,
                         entries};
    return;
  }
}

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

void Tape::reset() {
  stopped_values_frozen_ = false;
  row_prefetcher_ = {};
  arena_.reset();
  nodes_.clear();
  sizes_.clear();
  runs_.clear();
  read_parameters_.clear();
  gathered_parameters_.clear();
  sparse_gradients_.clear();
  dense_gradients_.clear();
  done_ = 0;
  planned_loss_ = no_node;
  planned_nodes_ = 0;
}

Tape& common_tape(const char* op, std::span<const Tensor> tensors) {
  Tape& tape = tensors.front().tape();
  for (const Tensor& tensor : tensors)
    if (&tensor.tape() != &tape)
      throw ShapeError(fmt::format("{}: the operands are on different tapes", op));
  return tape;
}

}  // namespace ultr
