#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "kernels/pack.h"
#include "kernels/vector_math.h"

/// log Σ e^x over contiguous memory, shared by the dense and the segmented ops.
namespace ultr::detail {

/// Returns the index of the largest of n > 0 elements, the first if several are equal.
template <class T>
std::size_t index_of_largest(const T* x, std::size_t n) {
  return static_cast<std::size_t>(std::max_element(x, x + n) - x);
}

/// log Σ e^x of n elements, computed as m + log Σ e^(x-m) with m the largest. If `weights` is not
/// null, it receives e^(x-m) of each element.
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
  }
};

/// Writes value[i] = x[i] - log Σ e^x and, unless `saved` is null, saved[i] = softmax(x)_i.
template <class T>
void log_softmax_forward(const T* x, std::size_t n, T* value, T* saved) {
  const LogSum<T> log_sum(x, n, saved);
  if (log_sum.total == 0) {
    std::fill_n(value, n, -static_cast<T>(HUGE_VAL));
    return;
  }
  for (std::size_t i = 0; i < n; ++i) {
    value[i] = (x[i] - log_sum.largest) - log_sum.log_total;
    if (saved != nullptr) saved[i] /= log_sum.total;
  }
}

/// Writes g_j (1 - p_j) - p_j Σ_{i≠j} g_i to target_j, p being the softmax, or adds it if `add`.
/// Gradients of elements whose value is -inf count as 0. For the largest p, 1 - p is the sum of the
/// others, because the difference would cancel.
template <class T>
void log_softmax_backward(const T* gradient, const T* value, const T* softmax, std::size_t n,
                          T* target, bool add) {
  if (n == 0) return;
  const auto counted = [&](std::size_t i) {
    return value[i] == -static_cast<T>(HUGE_VAL) ? T(0) : gradient[i];
  };
  const std::size_t top = index_of_largest(softmax, n);
  T total = 0, others = 0;
  for (std::size_t i = 0; i < n; ++i) {
    total += counted(i);
    if (i != top) others += softmax[i];
  }
  for (std::size_t i = 0; i < n; ++i) {
    const T own = counted(i), rest = i == top ? others : 1 - softmax[i];
    target[i] = (add ? target[i] : T(0)) + (own * rest - softmax[i] * (total - own));
  }
}

}  // namespace ultr::detail
