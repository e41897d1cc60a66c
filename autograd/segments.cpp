#include "autograd/segments.h"

#include <array>

#include <fmt/core.h>

#include "autograd/segment_offsets.h"
#include "autograd/tape.h"
#include "base/error.h"
#include "kernels/descending_ranks.h"
#include "kernels/log_sum.h"

namespace ultr {
namespace {

/// Calls visit(segment, begin, length) for each segment. The node's closure is the number of
/// segments.
template <class Visit>
void for_each_segment(Tape& tape, const Node& node, Visit visit) {
  const Extent count = *static_cast<const Extent*>(node.closure);
  const std::uint32_t* offsets = detail::checked_offsets(tape, node, count);
  const auto segments = static_cast<std::size_t>(tape.size_of(count));
  for (std::size_t i = 0; i < segments; ++i)
    visit(i, std::size_t{offsets[i]}, std::size_t{offsets[i + 1]} - offsets[i]);
}

template <class T>
const T* input_values(Tape& tape, const Node& node) {
  return reinterpret_cast<const T*>(tape.input_of(node, 0).value);
}

Tensor record_segmented(const char* op, Tensor x, Segments segments, Extent rows,
                        const Kernels& kernels, bool save) {
  if (x.shape().rank != 1)
    throw ShapeError(fmt::format("{}: x is {}; expected a vector", op, to_string(x.shape())));
  Tape& tape =
      common_tape(op, std::array{x, Tensor(*segments.offsets.tape, segments.offsets.node)});
  const auto recorded = tape.record(op, NodeKind::real, Shape::vector(rows), &kernels,
                                    std::array{x.node(), segments.offsets.node});
  recorded.node.closure = tape.arena().create(segments.count);
  if (save && recorded.node.requires_gradient)
    recorded.node.saved = tape.arena().allocate(static_cast<std::size_t>(x.shape().capacity()) *
                                                tape.element_bytes());
  return tape.tensor(recorded);
}

/// Returns the sum of one segment.
template <class T>
T total_of(const T* x, std::size_t begin, std::size_t length) {
  T total = 0;
  for (std::size_t k = begin; k < begin + length; ++k) total += x[k];
  return total;
}

template <class T>
void segment_sum_forward(Tape& tape, Node& node) {
  const T* x = input_values<T>(tape, node);
  for_each_segment(tape, node, [&](std::size_t i, std::size_t begin, std::size_t length) {
    reinterpret_cast<T*>(node.value)[i] = total_of(x, begin, length);
  });
}

template <class T>
void segment_sum_backward(Tape& tape, Node& node) {
  const auto target = tape.gradient_target<T>(node, 0);
  if (!target) return;
  const T* gradient = reinterpret_cast<const T*>(node.gradient);
  for_each_segment(tape, node, [&](std::size_t i, std::size_t begin, std::size_t length) {
    for (std::size_t k = begin; k < begin + length; ++k)
      target.data[k] = (target.add ? target.data[k] : T(0)) + gradient[i];
  });
}

template <class T>
void segment_logsumexp_forward(Tape& tape, Node& node) {
  const T* x = input_values<T>(tape, node);
  T* saved = reinterpret_cast<T*>(node.saved);
  for_each_segment(tape, node, [&](std::size_t i, std::size_t begin, std::size_t length) {
    T* weights = saved == nullptr ? nullptr : saved + begin;
    const detail::LogSum<T> log_sum(x + begin, length, weights);
    reinterpret_cast<T*>(node.value)[i] = log_sum.value();
    if (weights != nullptr && log_sum.total > 0)
      for (std::size_t k = 0; k < length; ++k) weights[k] /= log_sum.total;
  });
}

template <class T>
void segment_logsumexp_backward(Tape& tape, Node& node) {
  const auto target = tape.gradient_target<T>(node, 0);
  if (!target) return;
  const T* gradient = reinterpret_cast<const T*>(node.gradient);
  const T* softmax = reinterpret_cast<const T*>(node.saved);
  for_each_segment(tape, node, [&](std::size_t i, std::size_t begin, std::size_t length) {
    for (std::size_t k = begin; k < begin + length; ++k)
      target.data[k] = (target.add ? target.data[k] : T(0)) + gradient[i] * softmax[k];
  });
}

template <class T>
void segment_log_softmax_forward(Tape& tape, Node& node) {
  const T* x = input_values<T>(tape, node);
  T* saved = reinterpret_cast<T*>(node.saved);
  for_each_segment(tape, node, [&](std::size_t, std::size_t begin, std::size_t length) {
    detail::log_softmax_forward(x + begin, length, reinterpret_cast<T*>(node.value) + begin,
                                saved == nullptr ? nullptr : saved + begin);
  });
}

template <class T>
void segment_log_softmax_backward(Tape& tape, Node& node) {
  const auto target = tape.gradient_target<T>(node, 0);
  if (!target) return;
  for_each_segment(tape, node, [&](std::size_t, std::size_t begin, std::size_t length) {
    detail::log_softmax_backward(reinterpret_cast<const T*>(node.gradient) + begin,
                                 reinterpret_cast<const T*>(node.value) + begin,
                                 reinterpret_cast<const T*>(node.saved) + begin, length,
                                 target.data + begin, target.add);
  });
}

template <class T>
void shares_forward(Tape& tape, Node& node) {
  const T* x = input_values<T>(tape, node);
  T* shares = reinterpret_cast<T*>(node.value);
  for_each_segment(tape, node, [&](std::size_t, std::size_t begin, std::size_t length) {
    const T total = total_of(x, begin, length);
    for (std::size_t k = begin; k < begin + length; ++k) shares[k] = total == 0 ? 0 : x[k] / total;
  });
}

template <class T>
void shares_backward(Tape& tape, Node& node) {
  const auto target = tape.gradient_target<T>(node, 0);
  if (!target) return;
  const T* x = input_values<T>(tape, node);
  const T* shares = reinterpret_cast<const T*>(node.value);
  const T* gradient = reinterpret_cast<const T*>(node.gradient);
  for_each_segment(tape, node, [&](std::size_t, std::size_t begin, std::size_t length) {
    const T total = total_of(x, begin, length);
    T mean = 0;
    for (std::size_t k = begin; k < begin + length; ++k) mean += gradient[k] * shares[k];
    for (std::size_t k = begin; k < begin + length; ++k) {
      const T slope = total == 0 ? 0 : (gradient[k] - mean) / total;
      target.data[k] = (target.add ? target.data[k] : T(0)) + slope;
    }
  });
}

template <class T>
void ranks_forward(Tape& tape, Node& node) {
  const T* x = input_values<T>(tape, node);
  detail::DescendingRanks<T> ranks(node.saved, static_cast<std::size_t>(node.shape.capacity()));
  for_each_segment(tape, node, [&](std::size_t, std::size_t begin, std::size_t length) {
    const auto* of = ranks(x + begin, length);
    T* value = reinterpret_cast<T*>(node.value) + begin;
    for (std::size_t k = 0; k < length; ++k) value[k] = static_cast<T>(of[k] + 1);
  });
}

constexpr Kernels segment_sum_kernels = {
    {segment_sum_forward<float>, segment_sum_backward<float>},
    {segment_sum_forward<double>, segment_sum_backward<double>}};
constexpr Kernels segment_logsumexp_kernels = {
    {segment_logsumexp_forward<float>, segment_logsumexp_backward<float>},
    {segment_logsumexp_forward<double>, segment_logsumexp_backward<double>}};
constexpr Kernels segment_log_softmax_kernels = {
    {segment_log_softmax_forward<float>, segment_log_softmax_backward<float>},
    {segment_log_softmax_forward<double>, segment_log_softmax_backward<double>}};
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

Tensor segment_sum(Tensor x, Segments segments) {
  return record_segmented("segment_sum", x, segments, segments.count, segment_sum_kernels, false);
}

Tensor segment_logsumexp(Tensor x, Segments segments) {
  return record_segmented("segment_logsumexp", x, segments, segments.count,
                          segment_logsumexp_kernels, true);
}

Tensor segment_log_softmax(Tensor x, Segments segments) {
  return record_segmented("segment_log_softmax", x, segments, x.shape().rows,
                          segment_log_softmax_kernels, true);
}

Tensor segment_shares(Tensor x, Segments segments) {
  return record_segmented("segment_shares", x, segments, x.shape().rows, shares_kernels, false);
}

Tensor segment_ranks(Tensor x, Segments segments) {
  const Tensor ranks =
      record_segmented("segment_ranks", x, segments, x.shape().rows, ranks_kernels, false);
  Tape& tape = x.tape();
  const auto most = static_cast<std::size_t>(x.shape().capacity());
  tape.node(ranks.node()).saved = tape.arena().allocate(
      tape.precision() == Precision::float32 ? detail::DescendingRanks<float>::bytes(most)
                                             : detail::DescendingRanks<double>::bytes(most));
  return ranks;
}

}  // namespace ultr
