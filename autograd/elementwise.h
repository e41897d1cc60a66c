#pragma once

#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "autograd/pack.h"
#include "autograd/tape.h"
#include "autograd/vector_math.h"

/// The framework for elementwise ops. The formula of an op is a generic lambda over packs. The
/// engine adds broadcasting, un-broadcasting, both precisions, tails, constants and accumulation.
///
///     Tensor square(Tensor x) {
///       return elementwise("square", std::array{x}, [](auto x) { return x * x; },
///                          [](auto gradient, auto x, auto) { return gradients(2 * gradient * x);
///                          });
///     }
///
/// A formula returns either the value alone, with a separate pullback for the gradients, or the
/// value together with its slopes (`value_and_slopes`), which are saved for the backward pass. Use
/// slopes if computing the value yields the derivatives almost for free: the backward pass then
/// evaluates no transcendental function. Slopes are computed only if a gradient is needed.
namespace ultr {

/// A value and its partial derivatives with respect to each operand.
template <class P, std::size_t n>
struct ValueAndSlopes {
  P value;
  std::array<P, n> slopes;
};

template <class P, class... Slopes>
ValueAndSlopes<P, sizeof...(Slopes)> value_and_slopes(P value, Slopes... slopes) {
  return {value, {P(slopes)...}};
}

/// Returns the result of a pullback: one gradient per operand, in order.
template <class P, class... Rest>
std::array<P, 1 + sizeof...(Rest)> gradients(P first, Rest... rest) {
  return {first, P(rest)...};
}

/// Stands in for a pullback if the formula returns its slopes.
struct SavedSlopes {};

namespace detail {

/// The broadcasting of each operand and the loop over a result: `outer` rows of `inner` elements.
/// Without row or column broadcasting, the whole result is one row.
template <std::size_t n>
struct Loop {
  std::array<Broadcast, n> kinds;
  bool by_rows = false;

  static Loop of(const std::array<Tensor, n>& operands, const Shape& result) {
    Loop loop;
    for (std::size_t i = 0; i < n; ++i) {
      loop.kinds[i] = broadcast_kind(operands[i].shape(), result);
      loop.by_rows |= loop.kinds[i] == Broadcast::row || loop.kinds[i] == Broadcast::column;
    }
    return loop;
  }
  std::size_t outer(const Tape& tape, const Shape& shape) const {
    return by_rows ? static_cast<std::size_t>(tape.size_of(shape.rows)) : 1;
  }
  std::size_t inner(const Tape& tape, const Shape& shape) const {
    return static_cast<std::size_t>(by_rows ? shape.columns : tape.size_of(shape));
  }
};

/// Reads an operand pack by pack, repeated according to its broadcasting.
template <class T>
class Operand {
 public:
  Operand() = default;
  Operand(const std::byte* data, Broadcast kind, std::size_t inner)
      : data_(reinterpret_cast<const T*>(data)), kind_(kind), inner_(inner) {}

  void begin_row(std::size_t row) {
    switch (kind_) {
      case Broadcast::none:
        from_ = data_ + row * inner_;
        break;
      case Broadcast::row:
        from_ = data_;
        break;
      case Broadcast::scalar:
        repeated_ = Pack<T>::repeat(*data_);
        break;
      case Broadcast::column:
        repeated_ = Pack<T>::repeat(data_[row]);
        break;
    }
  }
  Pack<T> load(std::size_t i) const { return from_ ? Pack<T>::load(from_ + i) : repeated_; }
  Pack<T> load(std::size_t i, std::size_t lanes) const {
    return from_ ? Pack<T>::load(from_ + i, lanes) : repeated_;
  }

 private:
  const T* data_ = nullptr;
  const T* from_ = nullptr;  // null: the operand is `repeated_` along the row
  Pack<T> repeated_{0};
  Broadcast kind_ = Broadcast::none;
  std::size_t inner_ = 0;
};

/// Receives an operand's gradient pack by pack and sums it where the operand was repeated.
template <class T>
class Accumulator {
 public:
  Accumulator() = default;
  Accumulator(Tape::Target<T> target, Broadcast kind, std::size_t outer, std::size_t inner)
      : data_(target.data), add_(target.add), kind_(kind), inner_(inner) {
    if (data_ != nullptr && kind_ == Broadcast::row && outer == 0 && !add_)
      std::fill(data_, data_ + inner_, T(0));
  }

  void begin_row(std::size_t row) {
    if (data_ == nullptr) return;
    row_ = row;
    if (kind_ == Broadcast::none) to_ = data_ + row * inner_;
    if (kind_ == Broadcast::row) {
      to_ = data_;
      if (row > 0) add_ = true;
    }
    if (kind_ == Broadcast::column) total_ = Pack<T>(0);
  }
  void put(std::size_t i, Pack<T> gradient) {
    if (to_ != nullptr)
      (add_ ? Pack<T>::load(to_ + i) + gradient : gradient).store(to_ + i);
    else
      total_ += gradient;
  }
  void put(std::size_t i, Pack<T> gradient, std::size_t lanes) {
    if (to_ != nullptr) {
      (add_ ? Pack<T>::load(to_ + i, lanes) + gradient : gradient).store(to_ + i, lanes);
    } else {
      T kept[Pack<T>::size] = {};
      gradient.store(kept, lanes);
      total_ += Pack<T>::load(kept);
    }
  }
  void end_row() {
    if (data_ != nullptr && kind_ == Broadcast::column) write(row_);
  }
  void end() {
    if (data_ != nullptr && kind_ == Broadcast::scalar) write(0);
  }

 private:
  void write(std::size_t i) { data_[i] = add_ ? data_[i] + sum(total_) : sum(total_); }

  T* data_ = nullptr;
  T* to_ = nullptr;  // null: gradients are summed in total_
  Pack<T> total_{0};
  bool add_ = false;
  Broadcast kind_ = Broadcast::none;
  std::size_t inner_ = 0;
  std::size_t row_ = 0;
};

template <std::size_t n, class Formula, class Pullback>
struct Closure {
  Formula formula;
  Pullback pullback;
  Loop<n> loop;
};

template <class T, std::size_t n, class F, std::size_t... i>
auto call_with(const F& f, const std::array<Pack<T>, n>& packs, std::index_sequence<i...>) {
  return f(packs[i]...);
}

template <class T, std::size_t n, class Formula, class Pullback, bool save>
void elementwise_forward(Tape& tape, Node& node) {
  using P = Pack<T>;
  using Sequence = std::make_index_sequence<n>;
  const auto& closure = *static_cast<const Closure<n, Formula, Pullback>*>(node.closure);
  const std::size_t outer = closure.loop.outer(tape, node.shape);
  const std::size_t inner = closure.loop.inner(tape, node.shape);
  std::array<Operand<T>, n> operands;
  for (std::size_t k = 0; k < n; ++k)
    operands[k] = {tape.input_of(node, k).value, closure.loop.kinds[k], inner};
  T* value = reinterpret_cast<T*>(node.value);
  T* saved = reinterpret_cast<T*>(node.saved);
  const auto capacity = static_cast<std::size_t>(node.shape.capacity());
  RowPrefetcher prefetcher;
  if constexpr (save) prefetcher = tape.row_prefetcher();

  for (std::size_t row = 0; row < outer; ++row) {
    const std::size_t start = row * inner;
    for (auto& operand : operands) operand.begin_row(row);
    const auto block = [&](std::size_t i, auto... lanes) {
      // Formulas that save slopes compute long enough to prefetch some rows at no cost.
      if constexpr (save) prefetcher.prefetch(P::size / 2);
      std::array<P, n> packs;
      for (std::size_t k = 0; k < n; ++k) packs[k] = operands[k].load(i, lanes...);
      const auto result = call_with<T, n>(closure.formula, packs, Sequence{});
      if constexpr (std::is_same_v<Pullback, SavedSlopes>) {
        result.value.store(value + start + i, lanes...);
        if constexpr (save)
          for (std::size_t k = 0; k < n; ++k)
            result.slopes[k].store(saved + k * capacity + start + i, lanes...);
      } else {
        P(result).store(value + start + i, lanes...);
      }
    };
    std::size_t i = 0;
    for (; i + P::size <= inner; i += P::size) block(i);
    if (i < inner) block(i, inner - i);
  }
  if constexpr (save) tape.row_prefetcher() = prefetcher;
}

/// Computes the gradient of operand k if nothing broadcasts along rows or columns. The loops
/// contain no branches, which matters for short results.
template <class T, std::size_t n, class Formula, class Pullback, std::size_t k>
void pull_operand(Tape& tape, const Node& node) {
  using P = Pack<T>;
  const auto target = tape.gradient_target<T>(node, k);
  if (!target) return;
  const auto& closure = *static_cast<const Closure<n, Formula, Pullback>*>(node.closure);
  const std::size_t size = closure.loop.inner(tape, node.shape);
  const T* gradient = reinterpret_cast<const T*>(node.gradient);

  const auto for_each_pack = [size](auto block) {
    std::size_t i = 0;
    for (; i + P::size <= size; i += P::size) block(i);
    if (i < size) block(i, size - i);
  };
  // pulled(i, lanes...) returns the operand's gradient for the pack of result entries that starts
  // at i.
  const auto receive = [&](auto pulled) {
    if (closure.loop.kinds[k] == Broadcast::scalar) {
      P total(0);
      for_each_pack([&](std::size_t i, auto... lanes) {
        P some = pulled(i, lanes...);
        if constexpr (sizeof...(lanes) > 0) some = where(first_lanes<T>(lanes...), some, P(0));
        total += some;
      });
      *target.data = target.add ? *target.data + sum(total) : sum(total);
    } else if (target.add) {
      for_each_pack([&](std::size_t i, auto... lanes) {
        (P::load(target.data + i, lanes...) + pulled(i, lanes...)).store(target.data + i, lanes...);
      });
    } else {
      for_each_pack([&](std::size_t i, auto... lanes) {
        pulled(i, lanes...).store(target.data + i, lanes...);
      });
    }
  };

  if constexpr (std::is_same_v<Pullback, SavedSlopes>) {
    const T* slope = reinterpret_cast<const T*>(node.saved) +
                     k * static_cast<std::size_t>(node.shape.capacity());
    receive([=](std::size_t i, auto... lanes) {
      return P::load(gradient + i, lanes...) * P::load(slope + i, lanes...);
    });
  } else {
    std::array<Operand<T>, n> operands;
    for (std::size_t o = 0; o < n; ++o) {
      operands[o] = {tape.input_of(node, o).value, closure.loop.kinds[o], size};
      operands[o].begin_row(0);
    }
    const T* value = reinterpret_cast<const T*>(node.value);
    receive([&, pullback = closure.pullback](std::size_t i, auto... lanes) {
      std::array<P, n + 2> packs;
      packs[0] = P::load(gradient + i, lanes...);
      for (std::size_t o = 0; o < n; ++o) packs[o + 1] = operands[o].load(i, lanes...);
      packs[n + 1] = P::load(value + i, lanes...);
      return call_with<T, n + 2>(pullback, packs, std::make_index_sequence<n + 2>{})[k];
    });
  }
}

template <class T, std::size_t n, class Formula, class Pullback, std::size_t... k>
void pull_operands(Tape& tape, const Node& node, std::index_sequence<k...>) {
  (pull_operand<T, n, Formula, Pullback, k>(tape, node), ...);
}

template <class T, std::size_t n, class Formula, class Pullback>
void elementwise_backward(Tape& tape, Node& node) {
  using P = Pack<T>;
  const auto& closure = *static_cast<const Closure<n, Formula, Pullback>*>(node.closure);
  if (!closure.loop.by_rows) {
    pull_operands<T, n, Formula, Pullback>(tape, node, std::make_index_sequence<n>{});
    return;
  }
  const std::size_t outer = closure.loop.outer(tape, node.shape);
  const std::size_t inner = closure.loop.inner(tape, node.shape);
  const auto capacity = static_cast<std::size_t>(node.shape.capacity());
  constexpr bool slopes = std::is_same_v<Pullback, SavedSlopes>;

  std::array<Operand<T>, n>
      operands;  // the operands, or their slopes, which have the result's shape
  std::array<Accumulator<T>, n> accumulators;
  std::array<bool, n> wanted{};
  for (std::size_t k = 0; k < n; ++k) {
    if constexpr (slopes)
      operands[k] = {node.saved + k * capacity * sizeof(T), Broadcast::none, inner};
    else
      operands[k] = {tape.input_of(node, k).value, closure.loop.kinds[k], inner};
    const auto target = tape.gradient_target<T>(node, k);
    wanted[k] = static_cast<bool>(target);
    accumulators[k] = {target, closure.loop.kinds[k], outer, inner};
  }
  Operand<T> gradient(node.gradient, Broadcast::none, inner);
  Operand<T> value(node.value, Broadcast::none, inner);

  for (std::size_t row = 0; row < outer; ++row) {
    gradient.begin_row(row);
    value.begin_row(row);
    for (auto& operand : operands) operand.begin_row(row);
    for (auto& accumulator : accumulators) accumulator.begin_row(row);
    const auto block = [&](std::size_t i, auto... lanes) {
      const P g = gradient.load(i, lanes...);
      if constexpr (slopes) {
        for (std::size_t k = 0; k < n; ++k)
          if (wanted[k]) accumulators[k].put(i, g * operands[k].load(i, lanes...), lanes...);
      } else {
        std::array<P, n + 2> packs;
        packs[0] = g;
        for (std::size_t k = 0; k < n; ++k) packs[k + 1] = operands[k].load(i, lanes...);
        packs[n + 1] = value.load(i, lanes...);
        const std::array<P, n> pulled =
            call_with<T, n + 2>(closure.pullback, packs, std::make_index_sequence<n + 2>{});
        for (std::size_t k = 0; k < n; ++k)
          if (wanted[k]) accumulators[k].put(i, pulled[k], lanes...);
      }
    };
    std::size_t i = 0;
    for (; i + P::size <= inner; i += P::size) block(i);
    if (i < inner) block(i, inner - i);
    for (auto& accumulator : accumulators) accumulator.end_row();
  }
  for (auto& accumulator : accumulators) accumulator.end();
}

template <std::size_t n, class Formula, class Pullback, bool save>
inline constexpr Kernels elementwise_kernels = {
    {elementwise_forward<float, n, Formula, Pullback, save>,
     elementwise_backward<float, n, Formula, Pullback>},
    {elementwise_forward<double, n, Formula, Pullback, save>,
     elementwise_backward<double, n, Formula, Pullback>}};

}  // namespace detail

/// Records an elementwise op of n operands. `formula(x...)` returns the value as a pack, and
/// `pullback(gradient, x..., value)` returns `gradients(...)`, one per operand. Without a pullback,
/// the formula returns `value_and_slopes(...)`. Both may capture trivially copyable options. Throws
/// ShapeError if the shapes do not broadcast or the operands are on different tapes.
template <std::size_t n, class Formula, class Pullback = SavedSlopes>
Tensor elementwise(const char* name, const std::array<Tensor, n>& operands, Formula formula,
                   Pullback pullback = {}) {
  using Closure = detail::Closure<n, Formula, Pullback>;
  Tape& tape = common_tape(name, operands);
  Shape shape = operands[0].shape();
  std::array<NodeId, n> inputs{};
  bool differentiable = false;
  for (std::size_t i = 0; i < n; ++i) {
    if (i > 0) shape = broadcast_shapes(name, shape, operands[i].shape());
    inputs[i] = operands[i].node();
    differentiable |= tape.node(inputs[i]).requires_gradient;
  }
  const bool save = differentiable && std::is_same_v<Pullback, SavedSlopes>;
  const Kernels* kernels = save ? &detail::elementwise_kernels<n, Formula, Pullback, true>
                                : &detail::elementwise_kernels<n, Formula, Pullback, false>;
  const auto recorded = tape.record(name, NodeKind::real, shape, kernels, inputs);
  recorded.node.rowwise = true;
  recorded.node.elementwise = true;
  recorded.node.costly = std::is_same_v<Pullback, SavedSlopes>;
  recorded.node.closure =
      tape.arena().create(Closure{formula, pullback, detail::Loop<n>::of(operands, shape)});
  if (save)
    recorded.node.saved = tape.arena().allocate(n * static_cast<std::size_t>(shape.capacity()) *
                                                tape.element_bytes());
  return tape.tensor(recorded);
}

/// Records an elementwise op of one operand.
template <class Formula, class Pullback = SavedSlopes>
Tensor unary(const char* name, Tensor x, Formula formula, Pullback pullback = {}) {
  return elementwise(name, std::array{x}, formula, pullback);
}

/// Records an elementwise op of two operands.
template <class Formula, class Pullback = SavedSlopes>
Tensor binary(const char* name, Tensor a, Tensor b, Formula formula, Pullback pullback = {}) {
  return elementwise(name, std::array{a, b}, formula, pullback);
}

}  // namespace ultr
