#include "autograd/ops/reductions.h"

#include <algorithm>
#include <cmath>

#include "autograd/ops/groups.h"
#include "autograd/ops/segments.h"
#include "kernels/pack.h"

namespace ultr {
namespace {

using detail::Group;
using detail::pull_groups;

/// Calls write(group, first, result) for each group: its first element and its place in the result.
template <class T, class Write>
void reduce_groups(Tape& tape, Node& node, Write write) {
  const T* x = reinterpret_cast<const T*>(tape.input_of(node, 0).value);
  T* value = reinterpret_cast<T*>(node.value);
  detail::for_each_group(tape, node,
                         [&](const Group& g) { write(g, x + g.begin, value[g.number]); });
}

/// Adds the same number to the gradient of all elements of a group.
template <class T>
void put_all(const Group& g, const Tape::Target<T>& target, T x) {
  for (std::size_t k = 0, i = g.begin; k < g.length; ++k, i += g.step) target.put(i, x);
}

template <class T>
T strided_sum(const T* x, std::size_t n, std::size_t step) {
  T total = 0;
  for (std::size_t i = 0; i < n; ++i) total += x[i * step];
  return total;
}

template <class T>
T sum_of_group(const Group& g, const T* first) {
  return g.step == 1 ? sum_of(first, g.length) : strided_sum(first, g.length, g.step);
}

template <class T>
void sum_forward(Tape& tape, Node& node) {
  reduce_groups<T>(tape, node,
                   [](const Group& g, const T* x, T& sum) { sum = sum_of_group(g, x); });
}

/// Segments are short, so they are summed without packs.
template <class T>
void segment_sum_forward(Tape& tape, Node& node) {
  reduce_groups<T>(tape, node,
                   [](const Group& g, const T* x, T& sum) { sum = strided_sum(x, g.length, 1); });
}

template <class T>
void sum_backward(Tape& tape, Node& node) {
  const T* gradient = reinterpret_cast<const T*>(node.gradient);
  pull_groups<T>(tape, node, [&](const Group& g, const auto& target) {
    put_all(g, target, gradient[g.number]);
  });
}

constexpr Kernels sum_kernels = {{sum_forward<float>, sum_backward<float>},
                                 {sum_forward<double>, sum_backward<double>}};
constexpr Kernels segment_sum_kernels = {{segment_sum_forward<float>, sum_backward<float>},
                                         {segment_sum_forward<double>, sum_backward<double>}};

template <class T>
void mean_forward(Tape& tape, Node& node) {
  reduce_groups<T>(tape, node, [](const Group& g, const T* x, T& mean) {
    mean = sum_of_group(g, x) / static_cast<T>(g.length);
  });
}

template <class T>
void mean_backward(Tape& tape, Node& node) {
  const T* gradient = reinterpret_cast<const T*>(node.gradient);
  pull_groups<T>(tape, node, [&](const Group& g, const auto& target) {
    put_all(g, target, gradient[g.number] / static_cast<T>(g.length));
  });
}

constexpr Kernels mean_kernels = {{mean_forward<float>, mean_backward<float>},
                                  {mean_forward<double>, mean_backward<double>}};

template <class T>
void max_forward(Tape& tape, Node& node) {
  reduce_groups<T>(tape, node, [](const Group& g, const T* x, T& largest) {
    largest = -static_cast<T>(HUGE_VAL);
    for (std::size_t k = 0; k < g.length; ++k) largest = std::max(largest, x[k * g.step]);
  });
}

template <class T>
void max_backward(Tape& tape, Node& node) {
  const T* gradient = reinterpret_cast<const T*>(node.gradient);
  const T* value = reinterpret_cast<const T*>(node.value);
  const T* x = reinterpret_cast<const T*>(tape.input_of(node, 0).value);
  pull_groups<T>(tape, node, [&](const Group& g, const auto& target) {
    bool found = false;
    for (std::size_t k = 0, i = g.begin; k < g.length; ++k, i += g.step) {
      const bool chosen = !found && x[i] == value[g.number];
      found |= chosen;
      target.put(i, chosen ? gradient[g.number] : T(0));
    }
  });
}

constexpr Kernels max_kernels = {{max_forward<float>, max_backward<float>},
                                 {max_forward<double>, max_backward<double>}};

struct CumulativeClosure : detail::Groups {
  Direction direction;
  Including including;
};

/// Writes the running sums of n elements in the given direction: put(i, sum) for element i.
template <class T, class Put>
void running_sum(const T* from, std::size_t n, Direction direction, Including including, Put put) {
  T total = 0;
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t i = direction == Direction::forward ? k : n - 1 - k;
    const T before = total;
    total += from[i];
    put(i, including == Including::self ? total : before);
  }
}

const CumulativeClosure& cumulative_closure(const Node& node) {
  return static_cast<const CumulativeClosure&>(*static_cast<const detail::Groups*>(node.closure));
}

template <class T>
void cumulative_forward(Tape& tape, Node& node) {
  const CumulativeClosure& closure = cumulative_closure(node);
  const T* x = reinterpret_cast<const T*>(tape.input_of(node, 0).value);
  detail::for_each_group(tape, node, [&](const Group& g) {
    T* const value = reinterpret_cast<T*>(node.value) + g.begin;
    running_sum(x + g.begin, g.length, closure.direction, closure.including,
                [=](std::size_t i, T sum) { value[i] = sum; });
  });
}

template <class T>
void cumulative_backward(Tape& tape, Node& node) {
  const CumulativeClosure& closure = cumulative_closure(node);
  const T* gradient = reinterpret_cast<const T*>(node.gradient);
  const Direction back =
      closure.direction == Direction::forward ? Direction::backward : Direction::forward;
  pull_groups<T>(tape, node, [&](const Group& g, const auto& target) {
    running_sum(gradient + g.begin, g.length, back, closure.including,
                [&](std::size_t i, T sum) { target.put(g.begin + i, sum); });
  });
}

constexpr Kernels cumulative_kernels = {
    {cumulative_forward<float>, cumulative_backward<float>, detail::demand_rows},
    {cumulative_forward<double>, cumulative_backward<double>, detail::demand_rows}};

}  // namespace

Tensor sum(Tensor x, Axis axis) { return detail::record_reduction("sum", x, axis, sum_kernels); }

Tensor mean(Tensor x, Axis axis) { return detail::record_reduction("mean", x, axis, mean_kernels); }

Tensor max(Tensor x, Axis axis) { return detail::record_reduction("max", x, axis, max_kernels); }

Tensor segment_sum(Tensor x, Segments segments) {
  return detail::record_segmented("segment_sum", x, segments, segments.count, segment_sum_kernels);
}

Tensor cumulative_sum(Tensor x, Direction direction, Including including) {
  return detail::record_along_rows("cumulative_sum", x, cumulative_kernels,
                                   CumulativeClosure{{}, direction, including});
}

}  // namespace ultr
