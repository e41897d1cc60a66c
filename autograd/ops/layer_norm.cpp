#include "autograd/ops/layer_norm.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/core.h>

#include "autograd/tape/tape.h"
#include "base/error.h"
#include "kernels/pack.h"

namespace ultr {
namespace {

struct LayerNormClosure {
  double epsilon;
};

/// The mean of a row and the reciprocal of its standard deviation.
template <class T>
struct RowMoments {
  T mean, per_deviation;
};

template <class T>
RowMoments<T> moments(const T* x, std::size_t columns, double epsilon) {
  const T mean = sum_of(x, columns) / static_cast<T>(columns);
  Pack<T> squares(0);
  for_each_pack<T>(columns, [&](std::size_t i, auto... lanes) {
    Pack<T> d = Pack<T>::load(x + i, lanes...) - Pack<T>::repeat(mean);
    if constexpr (sizeof...(lanes) > 0) d = where(first_lanes<T>(lanes...), d, 0);
    squares += d * d;
  });
  const T variance = sum(squares) / static_cast<T>(columns);
  return {mean, 1 / std::sqrt(variance + static_cast<T>(epsilon))};
}

template <class T>
const T* values_of(Tape& tape, const Node& node, std::size_t input) {
  return reinterpret_cast<const T*>(tape.input_of(node, input).value);
}

template <class T>
void layer_norm_forward(Tape& tape, Node& node) {
  const auto& closure = *static_cast<const LayerNormClosure*>(node.closure);
  const auto rows = static_cast<std::size_t>(tape.size_of(node.shape.rows));
  const auto columns = static_cast<std::size_t>(node.shape.columns);
  const T *const x = values_of<T>(tape, node, 0), *const scale = values_of<T>(tape, node, 1),
                 *const shift = values_of<T>(tape, node, 2);
  auto* const saved = reinterpret_cast<RowMoments<T>*>(node.saved);
  for (std::size_t row = 0; row < rows; ++row) {
    const T* const from = x + row * columns;
    T* const to = reinterpret_cast<T*>(node.value) + row * columns;
    const RowMoments<T> m = moments(from, columns, closure.epsilon);
    if (saved != nullptr) saved[row] = m;
    for_each_pack<T>(columns, [&](std::size_t i, auto... lanes) {
      const Pack<T> z = (Pack<T>::load(from + i, lanes...) - Pack<T>::repeat(m.mean)) *
                        Pack<T>::repeat(m.per_deviation);
      (z * Pack<T>::load(scale + i, lanes...) + Pack<T>::load(shift + i, lanes...))
          .store(to + i, lanes...);
    });
  }
}

/// Adds the gradients of a row. A target without data is left out.
template <class T>
void pull_row(const T* gradient, const T* x, const T* scale, std::size_t columns,
              const RowMoments<T>& m, T* to_x, bool add, T* to_scale, T* to_shift) {
  using P = Pack<T>;
  const auto z_at = [&](std::size_t i, auto... lanes) {
    return (P::load(x + i, lanes...) - P::repeat(m.mean)) * P::repeat(m.per_deviation);
  };
  P total(0), along(0);  // Σ h and Σ h z; lanes beyond the row have g = 0
  for_each_pack<T>(columns, [&](std::size_t i, auto... lanes) {
    const P g = P::load(gradient + i, lanes...), z = z_at(i, lanes...);
    const P h = g * P::load(scale + i, lanes...);
    total += h;
    along += h * z;
    if (to_scale != nullptr)
      (P::load(to_scale + i, lanes...) + g * z).store(to_scale + i, lanes...);
    if (to_shift != nullptr) (P::load(to_shift + i, lanes...) + g).store(to_shift + i, lanes...);
  });
  if (to_x == nullptr) return;
  const auto mean_of = [&](P sums) { return P::repeat(sum(sums) / static_cast<T>(columns)); };
  const P mean = mean_of(total), slope = mean_of(along);
  for_each_pack<T>(columns, [&](std::size_t i, auto... lanes) {
    const P h = P::load(gradient + i, lanes...) * P::load(scale + i, lanes...);
    const P pulled = P::repeat(m.per_deviation) * (h - mean - z_at(i, lanes...) * slope);
    (add ? P::load(to_x + i, lanes...) + pulled : pulled).store(to_x + i, lanes...);
  });
}

template <class T>
void layer_norm_backward(Tape& tape, Node& node) {
  const auto rows = static_cast<std::size_t>(tape.size_of(node.shape.rows));
  const auto columns = static_cast<std::size_t>(node.shape.columns);
  const auto to_x = tape.gradient_target<T>(node, 0), to_scale = tape.gradient_target<T>(node, 1),
             to_shift = tape.gradient_target<T>(node, 2);
  for (const auto& target : {to_scale, to_shift})
    if (target && !target.add) std::fill_n(target.data, columns, T(0));
  const T *const x = values_of<T>(tape, node, 0), *const scale = values_of<T>(tape, node, 1);
  const auto* const saved = reinterpret_cast<const RowMoments<T>*>(node.saved);
  for (std::size_t row = 0; row < rows; ++row)
    pull_row(reinterpret_cast<const T*>(node.gradient) + row * columns, x + row * columns, scale,
             columns, saved[row], to_x ? to_x.data + row * columns : nullptr, to_x.add,
             to_scale.data, to_shift.data);
}

Demand layer_norm_demand(const Tape&, const Node&, std::size_t input, const Demand& own) {
  return input == 0 ? own : Demand::everywhere();
}

constexpr Kernels layer_norm_kernels = {
    {layer_norm_forward<float>, layer_norm_backward<float>, layer_norm_demand},
    {layer_norm_forward<double>, layer_norm_backward<double>, layer_norm_demand}};

}  // namespace

Tensor layer_norm(Tensor x, Tensor scale, Tensor shift, double epsilon) {
  Tape& tape = common_tape("layer_norm", std::array{x, scale, shift});
  const Shape shape = x.shape();
  const auto fits = [&](const Tensor& t) {
    return t.shape().rank < 2 && t.shape().rows == Extent(shape.columns);
  };
  if (shape.rank != 2 || !fits(scale) || !fits(shift))
    throw ShapeError(fmt::format(
        "layer_norm: x is {}, the scale {}, the shift {}; expected a matrix and two vectors of its "
        "columns",
        to_string(shape), to_string(scale.shape()), to_string(shift.shape())));
  const auto recorded = tape.record("layer_norm", NodeKind::real, shape, &layer_norm_kernels,
                                    std::array{x.node(), scale.node(), shift.node()});
  recorded.node.closure = tape.arena().create(LayerNormClosure{epsilon});
  if (recorded.node.requires_gradient)
    recorded.node.saved = tape.arena().allocate(static_cast<std::size_t>(shape.rows.capacity()) *
                                                2 * tape.element_bytes());
  return tape.tensor(recorded);
}

}  // namespace ultr
