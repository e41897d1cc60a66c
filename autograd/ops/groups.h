#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <fmt/core.h>

#include "autograd/tape/tape.h"
#include "base/error.h"

/// The groups of elements that reductions go through. Only for code that defines ops.
namespace ultr::detail {

/// The groups of an op on input 0: those along an axis or, if input 1 has offsets, segments. The
/// closure of the op, or its base.
struct Groups {
  Axis axis = Axis::all;
  Extent segments = 0;  // their number
};

/// Elements begin, begin + step, ...: `length` of them.
struct Group {
  std::size_t number, begin, length, step;
};

/// Returns the offsets of an op whose input 1 has the offsets of `count` segments of the rows of
/// input 0. Throws ShapeError if they do not cover the rows in order.
inline const std::uint32_t* checked_offsets(Tape& tape, const Node& node, Extent count) {
  const auto* offsets = reinterpret_cast<const std::uint32_t*>(tape.input_of(node, 1).value);
  const std::int64_t given = tape.size_of(tape.input_of(node, 1).shape);
  const std::int64_t segments = tape.size_of(count);
  if (given != segments + 1)
    throw ShapeError(fmt::format("{}: {} offsets for {} segments; expected {}", node.name, given,
                                 segments, segments + 1));
  const std::int64_t n = tape.size_of(tape.input_of(node, 0).shape.rows);
  if (offsets[0] != 0 || offsets[segments] != n)
    throw ShapeError(fmt::format("{}: offsets go from {} to {}; expected 0 to {}", node.name,
                                 offsets[0], offsets[segments], n));
  for (std::int64_t i = 0; i < segments; ++i)
    if (offsets[i + 1] < offsets[i])
      throw ShapeError(fmt::format("{}: segment {} goes from {} to {}", node.name, i, offsets[i],
                                   offsets[i + 1]));
  return offsets;
}

/// Calls visit(group) for each group.
template <class Visit>
void for_each_group(Tape& tape, const Node& node, Visit visit) {
  const auto& groups = *static_cast<const Groups*>(node.closure);
  if (node.inputs.size() == 2) {
    const std::uint32_t* offsets = checked_offsets(tape, node, groups.segments);
    const auto segments = static_cast<std::size_t>(tape.size_of(groups.segments));
    for (std::size_t i = 0; i < segments; ++i)
      visit(Group{i, offsets[i], std::size_t{offsets[i + 1]} - offsets[i], 1});
    return;
  }
  const Shape& shape = tape.input_of(node, 0).shape;
  const auto rows = static_cast<std::size_t>(tape.size_of(shape.rows));
  const auto columns = static_cast<std::size_t>(shape.columns);
  switch (groups.axis) {
    case Axis::all:
      return visit(Group{0, 0, rows * columns, 1});
    case Axis::rows:
      for (std::size_t i = 0; i < columns; ++i) visit(Group{i, i, rows, columns});
      return;
    case Axis::columns:
      for (std::size_t i = 0; i < rows; ++i) visit(Group{i, i * columns, columns, 1});
      return;
  }
}

/// Calls visit(group, target) for each group, unless input 0 needs no gradient.
template <class T, class Visit>
void pull_groups(Tape& tape, const Node& node, Visit visit) {
  if (const auto target = tape.gradient_target<T>(node, 0))
    for_each_group(tape, node, [&](const Group& group) { visit(group, target); });
}

/// The demand function of ops that go along a vector, or along each row of a matrix.
inline Demand demand_rows(const Tape& tape, const Node& node, std::size_t input,
                          const Demand& own) {
  return node.shape.rank == 2 ? demand_same_rows(tape, node, input, own) : Demand::everywhere();
}

/// Records an op on groups of x, its first input. If `save`, it saves one number per element of x
/// for its gradient.
template <class Closure>
Tensor record_grouped(const char* op, Tensor x, const Shape& shape, std::span<const NodeId> inputs,
                      const Kernels& kernels, const Closure& closure, bool save) {
  Tape& tape = x.tape();
  const auto recorded = tape.record(op, NodeKind::real, shape, &kernels, inputs);
  recorded.node.closure = tape.arena().create(closure);
  if (save && recorded.node.requires_gradient)
    recorded.node.saved = tape.arena().allocate(static_cast<std::size_t>(x.shape().capacity()) *
                                                tape.element_bytes());
  return tape.tensor(recorded);
}

/// Records a reduction of x along an axis. Throws ShapeError if x does not have the axis.
inline Tensor record_reduction(const char* op, Tensor x, Axis axis, const Kernels& kernels,
                               bool save = false) {
  const Shape& from = x.shape();
  if (axis != Axis::all && from.rank != 2)
    throw ShapeError(
        fmt::format("{}: x is {}; expected a matrix to reduce along an axis", op, to_string(from)));
  const Shape shape = axis == Axis::all    ? Shape::scalar()
                      : axis == Axis::rows ? Shape::vector(from.columns)
                                           : Shape::vector(from.rows);
  return record_grouped(op, x, shape, std::array{x.node()}, kernels, Groups{axis}, save);
}

/// Records an op along a vector, or along each row of a matrix. The result has the shape of x.
template <class Closure = Groups>
Tensor record_along_rows(const char* op, Tensor x, const Kernels& kernels, Closure closure = {},
                         bool save = false) {
  static_cast<Groups&>(closure).axis = x.shape().rank == 2 ? Axis::columns : Axis::all;
  return record_grouped(op, x, x.shape(), std::array{x.node()}, kernels, closure, save);
}

/// Records an op on segments of x whose result has `rows` elements. Throws ShapeError if x is not a
/// vector.
inline Tensor record_segmented(const char* op, Tensor x, const Segments& segments, Extent rows,
                               const Kernels& kernels, bool save = false) {
  if (x.shape().rank != 1)
    throw ShapeError(fmt::format("{}: x is {}; expected a vector", op, to_string(x.shape())));
  const Index offsets = segments.offsets;
  common_tape(op, std::array{x, Tensor(*offsets.tape, offsets.node)});
  return record_grouped(op, x, Shape::vector(rows), std::array{x.node(), offsets.node}, kernels,
                        Groups{.segments = segments.count}, save);
}

}  // namespace ultr::detail
