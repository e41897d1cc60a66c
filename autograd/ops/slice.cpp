#include "autograd/ops/slice.h"

#include <algorithm>
#include <cstring>

#include <fmt/core.h>

#include "autograd/tape/tape.h"
#include "base/error.h"
#include "kernels/pack.h"

namespace ultr {
namespace {

std::size_t bytes_per_row(const Tape& tape, const Node& whole) {
  switch (whole.kind) {
    case NodeKind::mask:
      return 1;
    case NodeKind::index:
      return sizeof(std::uint32_t);
    default:
      return static_cast<std::size_t>(whole.shape.columns) * tape.element_bytes();
  }
}

void slice_forward(Tape& tape, Node& node) {
  const Node& whole = tape.input_of(node, 0);
  const std::int64_t begin = tape.size_of(node.range.begin);
  if (begin + tape.size_of(node.range.rows) > tape.size_of(whole.shape.rows))
    throw ShapeError(fmt::format("slice: rows {} to {} of {}", begin,
                                 begin + tape.size_of(node.range.rows),
                                 tape.size_of(whole.shape.rows)));
  node.value = whole.value + static_cast<std::size_t>(begin) * bytes_per_row(tape, whole);
}

bool same_range(const Range& a, const Range& b) { return a.begin == b.begin && a.rows == b.rows; }

/// Returns the demand on the whole. A condition on a slice refers to a slice of a mask. It carries
/// over to the whole mask if the mask is sliced alike; otherwise it is dropped.
Demand slice_demand(const Tape& tape, const Node& node, std::size_t, const Demand& own) {
  Demand demand = Demand::everywhere();
  for (const Condition& condition : own.all()) {
    const Node& mask = tape.node(condition.mask);
    if (mask.is_view() && same_range(mask.range, node.range) &&
        tape.node(mask.inputs[0]).shape.rows == tape.node(node.inputs[0]).shape.rows)
      demand = demand.with({mask.inputs[0], condition.value});
  }
  return demand;
}

/// Does nothing, because a view's gradient lies in the whole's. The kernel is set only so that the
/// view counts as differentiable.
void slice_backward(Tape&, Node&) {}

constexpr Kernel slice_kernel = {slice_forward, slice_backward, slice_demand};
constexpr Kernels slice_kernels = {slice_kernel, slice_kernel};

NodeId slice_node(Tape& tape, NodeId whole, const Range& range) {
  const Node parent = tape.node(whole);
  Shape shape = parent.shape;
  if (shape.rank == 0) throw ShapeError("slice: x is []; expected a vector or a matrix");
  const bool negative = range.begin.capacity() < 0 || range.rows.capacity() < 0;
  const bool beyond = range.rows.fixed() && range.begin.fixed() && parent.shape.rows.fixed() &&
                      range.begin.capacity() + range.rows.capacity() > parent.shape.rows.capacity();
  if (negative || beyond)
    throw ShapeError(fmt::format("slice: rows {} to {} of {}", range.begin.capacity(),
                                 range.begin.capacity() + range.rows.capacity(),
                                 to_string(parent.shape)));
  shape.rows = range.rows;
  const auto recorded =
      tape.record("slice", parent.kind, shape, &slice_kernels, std::array{whole}, false);
  recorded.node.range = range;
  return recorded.id;
}

template <class T>
void concat_forward(Tape& tape, Node& node) {
  std::int64_t total = 0;
  for (std::size_t i = 0; i < node.inputs.size(); ++i)
    total += tape.size_of(tape.input_of(node, i).shape);
  if (total != tape.size_of(node.shape))
    throw ShapeError(fmt::format("concat: the pieces have {} elements; expected {}", total,
                                 tape.size_of(node.shape)));
  T* to = reinterpret_cast<T*>(node.value);
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const Node& piece = tape.input_of(node, i);
    to = std::copy_n(reinterpret_cast<const T*>(piece.value), tape.size_of(piece.shape), to);
  }
}

template <class T>
void concat_backward(Tape& tape, Node& node) {
  const T* from = reinterpret_cast<const T*>(node.gradient);
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const auto n = static_cast<std::size_t>(tape.size_of(tape.input_of(node, i).shape));
    if (const auto target = tape.gradient_target<T>(node, i)) {
      if (target.add)
        std::transform(from, from + n, target.data, target.data,
                       [](T gradient, T sum) { return sum + gradient; });
      else
        std::copy_n(from, n, target.data);
    }
    from += n;
  }
}

constexpr Kernels concat_kernels = {{concat_forward<float>, concat_backward<float>},
                                    {concat_forward<double>, concat_backward<double>}};

template <class T>
void concat_columns_forward(Tape& tape, Node& node) {
  const auto rows = tape.size_of(node.shape.rows);
  T* to = reinterpret_cast<T*>(node.value);
  const auto copy = [&](const Node& half, std::int64_t row) {
    const std::int64_t columns = half.shape.columns;
    to = std::copy_n(reinterpret_cast<const T*>(half.value) + row * columns, columns, to);
  };
  for (std::int64_t row = 0; row < rows; ++row) {
    copy(tape.input_of(node, 0), row);
    copy(tape.input_of(node, 1), row);
  }
}

template <class T>
void concat_columns_backward(Tape& tape, Node& node) {
  const auto rows = tape.size_of(node.shape.rows);
  std::int64_t first = 0;
  for (std::size_t i = 0; i < 2; ++i) {
    const std::int64_t columns = tape.input_of(node, i).shape.columns;
    if (const auto target = tape.gradient_target<T>(node, i))
      for (std::int64_t row = 0; row < rows; ++row) {
        const T* from =
            reinterpret_cast<const T*>(node.gradient) + row * node.shape.columns + first;
        T* to = target.data + row * columns;
        for (std::int64_t c = 0; c < columns; ++c) to[c] = (target.add ? to[c] : T(0)) + from[c];
      }
    first += columns;
  }
}

constexpr Kernels concat_columns_kernels = {
    {concat_columns_forward<float>, concat_columns_backward<float>, demand_same_rows},
    {concat_columns_forward<double>, concat_columns_backward<double>, demand_same_rows}};

template <class T>
void repeat_forward(Tape& tape, Node& node) {
  std::fill_n(reinterpret_cast<T*>(node.value), tape.size_of(node.shape),
              *reinterpret_cast<const T*>(tape.input_of(node, 0).value));
}

template <class T>
void repeat_backward(Tape& tape, Node& node) {
  const auto target = tape.gradient_target<T>(node, 0);
  if (!target) return;
  const T total = sum_of(reinterpret_cast<const T*>(node.gradient),
                         static_cast<std::size_t>(tape.size_of(node.shape)));
  *target.data = (target.add ? *target.data : T(0)) + total;
}

constexpr Kernels repeat_kernels = {{repeat_forward<float>, repeat_backward<float>},
                                    {repeat_forward<double>, repeat_backward<double>}};

}  // namespace

Tensor slice(Tensor x, const Range& range) {
  return {x.tape(), slice_node(x.tape(), x.node(), range)};
}

Mask slice(Mask mask, const Range& range) {
  return {mask.tape, slice_node(*mask.tape, mask.node, range)};
}

Index slice(Index index, const Range& range) {
  return {index.tape, slice_node(*index.tape, index.node, range)};
}

Tensor concat(std::span<const Tensor> pieces, Extent rows) {
  if (pieces.empty()) throw ShapeError("concat: no pieces; expected at least one vector");
  Tape& tape = common_tape("concat", pieces);
  auto* inputs = reinterpret_cast<NodeId*>(tape.arena().allocate(pieces.size() * sizeof(NodeId)));
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (pieces[i].shape().rank != 1)
      throw ShapeError(fmt::format("concat: piece {} is {}; expected a vector", i,
                                   to_string(pieces[i].shape())));
    inputs[i] = pieces[i].node();
  }
  return tape.tensor(tape.record("concat", NodeKind::real, Shape::vector(rows), &concat_kernels,
                                 {inputs, pieces.size()}));
}

Tensor concat_columns(Tensor a, Tensor b) {
  Tape& tape = common_tape("concat_columns", std::array{a, b});
  const Shape &left = a.shape(), &right = b.shape();
  if (left.rank != 2 || right.rank != 2 || left.rows != right.rows)
    throw ShapeError(fmt::format(
        "concat_columns: a is {}, b is {}; expected matrices with the same number of rows",
        to_string(left), to_string(right)));
  return tape.tensor(tape.record("concat_columns", NodeKind::real,
                                 Shape::matrix(left.rows, left.columns + right.columns),
                                 &concat_columns_kernels, std::array{a.node(), b.node()}));
}

Tensor repeat(Tensor scalar, Extent rows) {
  if (!scalar.shape().single())
    throw ShapeError(
        fmt::format("repeat: x is {}; expected one element", to_string(scalar.shape())));
  Tape& tape = scalar.tape();
  return tape.tensor(tape.record("repeat", NodeKind::real, Shape::vector(rows), &repeat_kernels,
                                 std::array{scalar.node()}));
}

}  // namespace ultr
