#include <algorithm>
#include <cmath>

#include "autograd/ops/groups.h"
#include "autograd/ops/reductions.h"
#include "autograd/ops/segments.h"
#include "kernels/pack.h"
#include "kernels/vector_math.h"

/// log Σ e^x and log-softmax, along an axis and of segments. The elements of a group are
/// contiguous.
namespace ultr {
namespace {

using detail::Group;

/// Returns the index of the largest of n > 0 elements, the first if several are equal.
template <class T>
std::size_t index_of_largest(const T* x, std::size_t n) {
  return static_cast<std::size_t>(std::max_element(x, x + n) - x);
}

/// log Σ e^x of n elements, computed as m + log Σ e^(x-m) with m the largest. If `weights` is not
/// null, it receives softmax(x); 0 if all are -inf.
template <class T>
struct LogSum {
  T largest = -static_cast<T>(HUGE_VAL);
  T total = 0;      // Σ e^(x-m), of which the largest element is 1; 0 if all are -inf
  T log_total = 0;  // log(total); 0 if total is 0

  T value() const { return largest + log_total; }

  LogSum(const T* x, std::size_t n, T* weights) {
    using P = Pack<T>;
    if (n == 0) return;
    const std::size_t top = index_of_largest(x, n);
    largest = x[top];
    if (largest == -static_cast<T>(HUGE_VAL)) {
      if (weights != nullptr) std::fill_n(weights, n, T(0));
      return;
    }
    // The sum leaves out the largest element, which enters through log1p: adding its 1 first would
    // round the others away.
    P others(0);
    for_each_pack<T>(n, [&](std::size_t i, auto... lanes) {
      const P e = exp_of_difference(P::load(x + i, lanes...), P::broadcast(largest));
      if (weights != nullptr) e.store(weights + i, lanes...);
      T kept[P::size] = {};
      e.store(kept, lanes...);
      if (top >= i && top < i + P::size) kept[top - i] = 0;
      others += P::load(kept);
    });
    const T rest = sum(others);
    T lanes[P::size];
    log1p(P::broadcast(rest)).store(lanes);
    log_total = lanes[0];
    total = 1 + rest;
    if (weights != nullptr)
      for (std::size_t i = 0; i < n; ++i) weights[i] /= total;
  }
};

/// Calls visit(group, x, log_sum) for each group, whose elements begin at x. Saves their softmax if
/// a gradient is needed.
template <class T, class Visit>
void for_each_log_sum(Tape& tape, const Node& node, Visit visit) {
  T* saved = reinterpret_cast<T*>(node.saved);
  detail::for_each_group(tape, node, [&](const Group& g) {
    const T* x = reinterpret_cast<const T*>(tape.input_of(node, 0).value) + g.begin;
    visit(g, x, LogSum<T>(x, g.length, saved == nullptr ? nullptr : saved + g.begin));
  });
}

template <class T>
void logsumexp_forward(Tape& tape, Node& node) {
  for_each_log_sum<T>(tape, node, [&](const Group& g, const T*, const LogSum<T>& log_sum) {
    reinterpret_cast<T*>(node.value)[g.number] = log_sum.value();
  });
}

template <class T>
void logsumexp_backward(Tape& tape, Node& node) {
  const T* gradient = reinterpret_cast<const T*>(node.gradient);
  const T* softmax = reinterpret_cast<const T*>(node.saved);
  detail::pull_groups<T>(tape, node, [&](const Group& g, const auto& target) {
    for (std::size_t i = g.begin; i < g.begin + g.length; ++i)
      target.put(i, gradient[g.number] * softmax[i]);
  });
}

constexpr Kernels logsumexp_kernels = {{logsumexp_forward<float>, logsumexp_backward<float>},
                                       {logsumexp_forward<double>, logsumexp_backward<double>}};

template <class T>
void log_softmax_forward(Tape& tape, Node& node) {
  for_each_log_sum<T>(tape, node, [&](const Group& g, const T* x, const LogSum<T>& log_sum) {
    T* value = reinterpret_cast<T*>(node.value) + g.begin;
    if (log_sum.total == 0)
      std::fill_n(value, g.length, -static_cast<T>(HUGE_VAL));
    else
      for (std::size_t i = 0; i < g.length; ++i)
        value[i] = (x[i] - log_sum.largest) - log_sum.log_total;
  });
}

/// Adds g_j (1 - p_j) - p_j Σ_{i≠j} g_i for each element j, p being the softmax. Gradients of
/// elements whose value is -inf count as 0. For the largest p, 1 - p is the sum of the others,
/// because the difference would cancel.
template <class T>
void log_softmax_backward(Tape& tape, Node& node) {
  const T* gradient = reinterpret_cast<const T*>(node.gradient);
  const T* value = reinterpret_cast<const T*>(node.value);
  const T* softmax = reinterpret_cast<const T*>(node.saved);
  const auto counted = [&](std::size_t i) {
    return value[i] == -static_cast<T>(HUGE_VAL) ? T(0) : gradient[i];
  };
  detail::pull_groups<T>(tape, node, [&](const Group& g, const auto& target) {
    if (g.length == 0) return;
    const std::size_t end = g.begin + g.length;
    const std::size_t top = g.begin + index_of_largest(softmax + g.begin, g.length);
    T total = 0, others = 0;
    for (std::size_t i = g.begin; i < end; ++i) {
      total += counted(i);
      if (i != top) others += softmax[i];
    }
    for (std::size_t i = g.begin; i < end; ++i) {
      const T own = counted(i), rest = i == top ? others : 1 - softmax[i];
      target.put(i, own * rest - softmax[i] * (total - own));
    }
  });
}

constexpr Kernels log_softmax_kernels = {
    {log_softmax_forward<float>, log_softmax_backward<float>, detail::demand_rows},
    {log_softmax_forward<double>, log_softmax_backward<double>, detail::demand_rows}};

}  // namespace

Tensor logsumexp(Tensor x, Axis axis) {
  if (axis == Axis::rows) throw ShapeError("logsumexp: axis is rows; expected all or columns");
  return detail::record_reduction("logsumexp", x, axis, logsumexp_kernels, true);
}

Tensor log_softmax(Tensor x) {
  return detail::record_along_rows("log_softmax", x, log_softmax_kernels, detail::Groups(), true);
}

Tensor segment_logsumexp(Tensor x, Segments segments) {
  return detail::record_segmented("segment_logsumexp", x, segments, segments.count,
                                  logsumexp_kernels, true);
}

Tensor segment_log_softmax(Tensor x, Segments segments) {
  return detail::record_segmented("segment_log_softmax", x, segments, x.shape().rows,
                                  log_softmax_kernels, true);
}

}  // namespace ultr
