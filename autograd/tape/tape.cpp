#include "autograd/tape/tape.h"

#include <algorithm>

#include <fmt/core.h>

#include "base/error.h"

namespace ultr {

// Leaves ------------------------------------------------------------------------------------------

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

// Binding -----------------------------------------------------------------------------------------

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

// Recording ---------------------------------------------------------------------------------------

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
  if (gradients()) nodes_[node].requires_gradient = true;
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

// Running -----------------------------------------------------------------------------------------

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
