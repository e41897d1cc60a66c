#include "autograd/ops/segments.h"

#include <fmt/core.h>

#include "autograd/ops/groups.h"
#include "kernels/descending_ranks.h"

namespace ultr {
namespace {

using detail::Group;

/// Returns the sum of one segment.
template <class T>
T total_of(const T* x, const Group& g) {
  T total = 0;
  for (std::size_t k = g.begin; k < g.begin + g.length; ++k) total += x[k];
  return total;
}

template <class T>
void shares_forward(Tape& tape, Node& node) {
  const T* x = reinterpret_cast<const T*>(tape.input_of(node, 0).value);
  T* shares = reinterpret_cast<T*>(node.value);
  detail::for_each_group(tape, node, [&](const Group& g) {
    const T total = total_of(x, g);
    for (std::size_t k = g.begin; k < g.begin + g.length; ++k)
      shares[k] = total == 0 ? 0 : x[k] / total;
  });
}

template <class T>
void shares_backward(Tape& tape, Node& node) {
  const T* x = reinterpret_cast<const T*>(tape.input_of(node, 0).value);
  const T* shares = reinterpret_cast<const T*>(node.value);
  const T* gradient = reinterpret_cast<const T*>(node.gradient);
  detail::pull_groups<T>(tape, node, [&](const Group& g, const auto& target) {
    const T total = total_of(x, g);
    T mean = 0;
    for (std::size_t k = g.begin; k < g.begin + g.length; ++k) mean += gradient[k] * shares[k];
    for (std::size_t k = g.begin; k < g.begin + g.length; ++k)
      target.put(k, total == 0 ? 0 : (gradient[k] - mean) / total);
  });
}

template <class T>
void ranks_forward(Tape& tape, Node& node) {
  const T* x = reinterpret_cast<const T*>(tape.input_of(node, 0).value);
  detail::DescendingRanks<T> ranks(node.saved, static_cast<std::size_t>(node.shape.capacity()));
  detail::for_each_group(tape, node, [&](const Group& g) {
    const auto* of = ranks(x + g.begin, g.length);
    T* value = reinterpret_cast<T*>(node.value) + g.begin;
    for (std::size_t k = 0; k < g.length; ++k) value[k] = static_cast<T>(of[k] + 1);
  });
}

constexpr Kernels shares_kernels = {{shares_forward<float>, shares_backward<float>},
                                    {shares_forward<double>, shares_backward<double>}};
constexpr Kernels ranks_kernels = {{ranks_forward<float>}, {ranks_forward<double>}};

}  // namespace

Segments make_segments(Tape& tape, Extent offsets, Extent count) {
  if (offsets.capacity() != count.capacity() + 1)
    throw ShapeError(fmt::format("make_segments: {} offsets for {} segments; expected {}",
                                 offsets.capacity(), count.capacity(), count.capacity() + 1));
  return {tape.index(offsets), count};
}

Tensor segment_shares(Tensor x, Segments segments) {
  return detail::record_segmented("segment_shares", x, segments, x.shape().rows, shares_kernels);
}

Tensor segment_ranks(Tensor x, Segments segments) {
  const Tensor ranks =
      detail::record_segmented("segment_ranks", x, segments, x.shape().rows, ranks_kernels);
  Tape& tape = x.tape();
  const auto most = static_cast<std::size_t>(x.shape().capacity());
  tape.node(ranks.node()).saved = tape.arena().allocate(
      tape.precision() == Precision::float32 ? detail::DescendingRanks<float>::bytes(most)
                                             : detail::DescendingRanks<double>::bytes(most));
  return ranks;
}

}  // namespace ultr
