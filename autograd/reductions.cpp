#include "autograd/reductions.h"

#include <array>

#include <fmt/core.h>

#include "autograd/arithmetic.h"
#include "autograd/tape.h"
#include "base/error.h"
#include "kernels/log_sum.h"

namespace ultr {
namespace {

/// The layout of a reduction: `groups` groups of `length` elements, `step` apart. The first
/// elements of neighbouring groups are `stride` apart.
struct Groups {
  std::size_t groups, length, step, stride;
};

struct ReductionClosure {
  Axis axis;
};

Groups groups_of(const Tape& tape, const Node& node, const Shape& from) {
  const auto rows = static_cast<std::size_t>(tape.size_of(from.rows));
  const auto columns = static_cast<std::size_t>(from.columns);
  switch (static_cast<const ReductionClosure*>(node.closure)->axis) {
    case Axis::rows:
      return {columns, rows, columns, 1};
    case Axis::columns:
      return {rows, columns, 1, columns};
    default:
      return {1, rows * columns, 1, 0};
  }
}

Shape reduced_shape(const char* op, const Shape& from, Axis axis) {
  if (axis == Axis::all) return Shape::scalar();
  if (from.rank != 2)
    throw ShapeError(
        fmt::format("{}: x is {}; expected a matrix to reduce along an axis", op, to_string(from)));
  return Shape::vector(axis == Axis::rows ? Extent(from.columns) : from.rows);
}

Tensor record_reduction(const char* op, Tensor x, Axis axis, const Kernels& kernels,
                        std::size_t saved_elements = 0) {
  Tape& tape = x.tape();
  const Shape shape = reduced_shape(op, x.shape(), axis);
  const auto recorded = tape.record(op, NodeKind::real, shape, &kernels, std::array{x.node()});
  recorded.node.closure = tape.arena().create(ReductionClosure{axis});
  if (saved_elements > 0 && recorded.node.requires_gradient)
    recorded.node.saved = tape.arena().allocate(saved_elements * tape.element_bytes());
  return tape.tensor(recorded);
}

/// Calls visit(i, first, layout, target) for each group i, unless the input needs no gradient.
/// `first` is the position of the group's first element in the input.
template <class T, class Visit>
void pull_groups(Tape& tape, Node& node, Visit visit) {
  const auto target = tape.gradient_target<T>(node, 0);
  if (!target) return;
  const Groups g = groups_of(tape, node, tape.input_of(node, 0).shape);
  for (std::size_t i = 0; i < g.groups; ++i) visit(i, i * g.stride, g, target);
}

template <class T>
T strided_sum(const T* x, std::size_t n, std::size_t step) {
  if (step == 1) return sum_of(x, n);
  T total = 0;
  for (std::size_t i = 0; i < n; ++i) total += x[i * step];
  return total;
}

template <class T>
void sum_forward(Tape& tape, Node& node) {
  const Node& input = tape.input_of(node, 0);
  const T* x = reinterpret_cast<const T*>(input.value);
  const Groups g = groups_of(tape, node, input.shape);
  for (std::size_t i = 0; i < g.groups; ++i)
    reinterpret_cast<T*>(node.value)[i] = strided_sum(x + i * g.stride, g.length, g.step);
}

template <class T>
void sum_backward(Tape& tape, Node& node) {
  const T* gradient = reinterpret_cast<const T*>(node.gradient);
  pull_groups<T>(tape, node, [&](std::size_t i, std::size_t first, const Groups& g, auto target) {
    for (std::size_t k = 0, at = first; k < g.length; ++k, at += g.step)
      target.data[at] = (target.add ? target.data[at] : T(0)) + gradient[i];
  });
}

constexpr Kernels sum_kernels = {{sum_forward<float>, sum_backward<float>},
                                 {sum_forward<double>, sum_backward<double>}};

template <class T>
void mean_forward(Tape& tape, Node& node) {
  sum_forward<T>(tape, node);
  const Groups g = groups_of(tape, node, tape.input_of(node, 0).shape);
  for (std::size_t i = 0; i < g.groups; ++i)
    reinterpret_cast<T*>(node.value)[i] /= static_cast<T>(g.length);
}

template <class T>
void mean_backward(Tape& tape, Node& node) {
  const T* gradient = reinterpret_cast<const T*>(node.gradient);
  pull_groups<T>(tape, node, [&](std::size_t i, std::size_t first, const Groups& g, auto target) {
    const T share = gradient[i] / static_cast<T>(g.length);
    for (std::size_t k = 0, at = first; k < g.length; ++k, at += g.step)
      target.data[at] = (target.add ? target.data[at] : T(0)) + share;
  });
}

constexpr Kernels mean_kernels = {{mean_forward<float>, mean_backward<float>},
                                  {mean_forward<double>, mean_backward<double>}};

template <class T>
void max_forward(Tape& tape, Node& node) {
  const Node& input = tape.input_of(node, 0);
  const Groups g = groups_of(tape, node, input.shape);
  for (std::size_t i = 0; i < g.groups; ++i) {
    const T* x = reinterpret_cast<const T*>(input.value) + i * g.stride;
    T largest = -static_cast<T>(HUGE_VAL);
    for (std::size_t k = 0; k < g.length; ++k) largest = std::max(largest, x[k * g.step]);
    reinterpret_cast<T*>(node.value)[i] = largest;
  }
}

template <class T>
void max_backward(Tape& tape, Node& node) {
  const T* gradient = reinterpret_cast<const T*>(node.gradient);
  const T* value = reinterpret_cast<const T*>(node.value);
  const T* x = reinterpret_cast<const T*>(tape.input_of(node, 0).value);
  pull_groups<T>(tape, node, [&](std::size_t i, std::size_t first, const Groups& g, auto target) {
    bool found = false;
    for (std::size_t k = 0, at = first; k < g.length; ++k, at += g.step) {
      const bool chosen = !found && x[at] == value[i];
      found |= chosen;
      target.data[at] = (target.add ? target.data[at] : T(0)) + (chosen ? gradient[i] : T(0));
    }
  });
}

constexpr Kernels max_kernels = {{max_forward<float>, max_backward<float>},
                                 {max_forward<double>, max_backward<double>}};

template <class T>
void logsumexp_forward(Tape& tape, Node& node) {
  const Node& input = tape.input_of(node, 0);
  const Groups g = groups_of(tape, node, input.shape);
  T* saved = reinterpret_cast<T*>(node.saved);
  for (std::size_t i = 0; i < g.groups; ++i) {
    const T* x = reinterpret_cast<const T*>(input.value) + i * g.stride;
    T* weights = saved == nullptr ? nullptr : saved + i * g.stride;
    const detail::LogSum<T> log_sum(x, g.length, weights);
    reinterpret_cast<T*>(node.value)[i] = log_sum.value();
    if (weights != nullptr && log_sum.total > 0)
      for (std::size_t k = 0; k < g.length; ++k) weights[k] /= log_sum.total;
  }
}

template <class T>
void logsumexp_backward(Tape& tape, Node& node) {
  const T* gradient = reinterpret_cast<const T*>(node.gradient);
  const T* softmax = reinterpret_cast<const T*>(node.saved);
  pull_groups<T>(tape, node, [&](std::size_t i, std::size_t first, const Groups& g, auto target) {
    for (std::size_t at = first; at < first + g.length; ++at)
      target.data[at] = (target.add ? target.data[at] : T(0)) + gradient[i] * softmax[at];
  });
}

constexpr Kernels logsumexp_kernels = {{logsumexp_forward<float>, logsumexp_backward<float>},
                                       {logsumexp_forward<double>, logsumexp_backward<double>}};

/// Returns {rows, length} of a matrix. A vector is one row.
std::pair<std::size_t, std::size_t> rows_of(const Tape& tape, const Shape& shape) {
  const auto rows = static_cast<std::size_t>(tape.size_of(shape.rows));
  if (shape.rank == 2) return {rows, static_cast<std::size_t>(shape.columns)};
  return {1, rows};
}

/// The demand function of ops that go along each row of a matrix, or along a vector.
Demand demand_rows(const Tape& tape, const Node& node, std::size_t input, const Demand& own) {
  return node.shape.rank == 2 ? demand_same_rows(tape, node, input, own) : Demand::everywhere();
}

template <class T>
void log_softmax_forward(Tape& tape, Node& node) {
  const auto [rows, length] = rows_of(tape, node.shape);
  const T* x = reinterpret_cast<const T*>(tape.input_of(node, 0).value);
  T* saved = reinterpret_cast<T*>(node.saved);
  for (std::size_t row = 0; row < rows; ++row)
    detail::log_softmax_forward(x + row * length, length,
                                reinterpret_cast<T*>(node.value) + row * length,
                                saved == nullptr ? nullptr : saved + row * length);
}

template <class T>
void log_softmax_backward(Tape& tape, Node& node) {
  const auto target = tape.gradient_target<T>(node, 0);
  if (!target) return;
  const auto [rows, length] = rows_of(tape, node.shape);
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t at = row * length;
    detail::log_softmax_backward(
        reinterpret_cast<const T*>(node.gradient) + at, reinterpret_cast<const T*>(node.value) + at,
        reinterpret_cast<const T*>(node.saved) + at, length, target.data + at, target.add);
  }
}

constexpr Kernels log_softmax_kernels = {
    {log_softmax_forward<float>, log_softmax_backward<float>, demand_rows},
    {log_softmax_forward<double>, log_softmax_backward<double>, demand_rows}};

struct CumulativeClosure {
  Direction direction;
  Including including;
};

/// Writes the running sums of `from` in the given direction to `to`, or adds them if `add`.
template <class T>
void running_sum(const T* from, std::size_t n, Direction direction, Including including, T* to,
                 bool add) {
  T total = 0;
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t i = direction == Direction::forward ? k : n - 1 - k;
    const T before = total;
    total += from[i];
    to[i] = (add ? to[i] : T(0)) + (including == Including::self ? total : before);
  }
}

template <class T>
void cumulative_forward(Tape& tape, Node& node) {
  const auto& closure = *static_cast<const CumulativeClosure*>(node.closure);
  const auto [rows, length] = rows_of(tape, node.shape);
  for (std::size_t at = 0; at < rows * length; at += length)
    running_sum(reinterpret_cast<const T*>(tape.input_of(node, 0).value) + at, length,
                closure.direction, closure.including, reinterpret_cast<T*>(node.value) + at, false);
}

template <class T>
void cumulative_backward(Tape& tape, Node& node) {
  const auto target = tape.gradient_target<T>(node, 0);
  if (!target) return;
  const auto& closure = *static_cast<const CumulativeClosure*>(node.closure);
  const auto [rows, length] = rows_of(tape, node.shape);
  const Direction back =
      closure.direction == Direction::forward ? Direction::backward : Direction::forward;
  for (std::size_t at = 0; at < rows * length; at += length)
    running_sum(reinterpret_cast<const T*>(node.gradient) + at, length, back, closure.including,
                target.data + at, target.add);
}

constexpr Kernels cumulative_kernels = {
    {cumulative_forward<float>, cumulative_backward<float>, demand_rows},
    {cumulative_forward<double>, cumulative_backward<double>, demand_rows}};

}  // namespace

Tensor sum(Tensor x, Axis axis) { return record_reduction("sum", x, axis, sum_kernels); }

Tensor mean(Tensor x, Axis axis) { return record_reduction("mean", x, axis, mean_kernels); }

Tensor max(Tensor x, Axis axis) { return record_reduction("max", x, axis, max_kernels); }

Tensor logsumexp(Tensor x, Axis axis) {
  if (axis == Axis::rows) throw ShapeError("logsumexp: axis is rows; expected all or columns");
  return record_reduction("logsumexp", x, axis, logsumexp_kernels,
                          static_cast<std::size_t>(x.shape().capacity()));
}

Tensor log_softmax(Tensor x) {
  Tape& tape = x.tape();
  const auto recorded = tape.record("log_softmax", NodeKind::real, x.shape(), &log_softmax_kernels,
                                    std::array{x.node()});
  if (recorded.node.requires_gradient)
    recorded.node.saved = tape.arena().allocate(static_cast<std::size_t>(x.shape().capacity()) *
                                                tape.element_bytes());
  return tape.tensor(recorded);
}

Tensor cumulative_sum(Tensor x, Direction direction, Including including) {
  Tape& tape = x.tape();
  const auto recorded = tape.record("cumulative_sum", NodeKind::real, x.shape(),
                                    &cumulative_kernels, std::array{x.node()});
  recorded.node.closure = tape.arena().create(CumulativeClosure{direction, including});
  return tape.tensor(recorded);
}

}  // namespace ultr
