#include "autograd/ops/take_rows.h"

#include <algorithm>
#include <array>

#include <fmt/core.h>

#include "autograd/tape/tape.h"
#include "base/error.h"
#include "kernels/pack.h"

namespace ultr {
namespace {

const std::uint32_t* index_of(Tape& tape, const Node& node) {
  return reinterpret_cast<const std::uint32_t*>(tape.input_of(node, 1).value);
}

/// Returns the target of input 0, set to 0 if nothing was added to it yet.
template <class T>
T* cleared_target(Tape& tape, const Node& node) {
  const auto target = tape.gradient_target<T>(node, 0);
  if (target && !target.add)
    std::fill_n(target.data, tape.size_of(tape.input_of(node, 0).shape), T(0));
  return target.data;
}

template <class T>
void take_rows_forward(Tape& tape, Node& node) {
  const auto rows = static_cast<std::size_t>(tape.size_of(node.shape.rows));
  const auto columns = static_cast<std::size_t>(node.shape.columns);
  const T* const from = reinterpret_cast<const T*>(tape.input_of(node, 0).value);
  const std::uint32_t* const index = index_of(tape, node);
  for (std::size_t i = 0; i < rows; ++i)
    std::copy_n(from + index[i] * columns, columns, reinterpret_cast<T*>(node.value) + i * columns);
}

template <class T>
void take_rows_backward(Tape& tape, Node& node) {
  T* const target = cleared_target<T>(tape, node);
  if (target == nullptr) return;
  const auto rows = static_cast<std::size_t>(tape.size_of(node.shape.rows));
  const auto columns = static_cast<std::size_t>(node.shape.columns);
  const std::uint32_t* const index = index_of(tape, node);
  for (std::size_t i = 0; i < rows; ++i) {
    const T* const from = reinterpret_cast<const T*>(node.gradient) + i * columns;
    T* const to = target + index[i] * columns;
    for_each_pack<T>(columns, [&](std::size_t c, auto... lanes) {
      (Pack<T>::load(to + c, lanes...) + Pack<T>::load(from + c, lanes...)).store(to + c, lanes...);
    });
  }
}

template <class T>
void take_along_rows_forward(Tape& tape, Node& node) {
  const auto rows = static_cast<std::size_t>(tape.size_of(node.shape));
  const Node& x = tape.input_of(node, 0);
  const auto columns = static_cast<std::size_t>(x.shape.columns);
  const std::uint32_t* const index = index_of(tape, node);
  for (std::size_t i = 0; i < rows; ++i)
    reinterpret_cast<T*>(node.value)[i] =
        reinterpret_cast<const T*>(x.value)[i * columns + index[i]];
}

template <class T>
void take_along_rows_backward(Tape& tape, Node& node) {
  T* const target = cleared_target<T>(tape, node);
  if (target == nullptr) return;
  const auto rows = static_cast<std::size_t>(tape.size_of(node.shape));
  const auto columns = static_cast<std::size_t>(tape.input_of(node, 0).shape.columns);
  const std::uint32_t* const index = index_of(tape, node);
  for (std::size_t i = 0; i < rows; ++i)
    target[i * columns + index[i]] += reinterpret_cast<const T*>(node.gradient)[i];
}

constexpr Kernels take_rows_kernels = {{take_rows_forward<float>, take_rows_backward<float>},
                                       {take_rows_forward<double>, take_rows_backward<double>}};
constexpr Kernels take_along_rows_kernels = {
    {take_along_rows_forward<float>, take_along_rows_backward<float>},
    {take_along_rows_forward<double>, take_along_rows_backward<double>}};

Tensor record_take(const char* op, Tensor x, Index index, const Shape& shape,
                   const Kernels& kernels) {
  Tape& tape = common_tape(op, std::array{x, Tensor(*index.tape, index.node)});
  if (x.shape().rank != 2)
    throw ShapeError(fmt::format("{}: x is {}; expected a matrix", op, to_string(x.shape())));
  return tape.tensor(
      tape.record(op, NodeKind::real, shape, &kernels, std::array{x.node(), index.node}));
}

}  // namespace

Tensor take_rows(Tensor x, Index rows) {
  const Shape shape = Shape::matrix(rows.tape->node(rows.node).shape.rows, x.shape().columns);
  return record_take("take_rows", x, rows, shape, take_rows_kernels);
}

Tensor take_along_rows(Tensor x, Index columns) {
  const Extent entries = columns.tape->node(columns.node).shape.rows;
  if (x.shape().rank == 2 && x.shape().rows != entries)
    throw ShapeError(
        fmt::format("take_along_rows: x is {}, with {} columns to take; expected one "
                    "per row",
                    to_string(x.shape()), entries.capacity()));
  return record_take("take_along_rows", x, columns, Shape::vector(x.shape().rows),
                     take_along_rows_kernels);
}

}  // namespace ultr
