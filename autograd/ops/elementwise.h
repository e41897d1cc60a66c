#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "autograd/tape/tape.h"
#include "kernels/pack.h"
#include "kernels/pack_group.h"
#include "kernels/vector_math.h"

/// The framework for elementwise ops. The formula of an op is a generic lambda over packs, and over
/// groups of packs if it returns slopes. The engine adds broadcasting, un-broadcasting, both
/// precisions, tails, constants and accumulation.
///
///     Tensor square(Tensor x) {
///       return unary("square", x, [](auto v) { return v * v; },
///                    [](auto gradient, auto v, auto) { return gradients(2 * gradient * v); });
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

/// The packs that a formula computes side by side.
inline constexpr std::size_t packs_in_group = 4;

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

/// A row of an operand, which is read pack by pack.
template <class T>
struct OperandRow {
  const T* from;
  std::size_t moves;  // 0 if the same numbers are read everywhere, else all bits set

  /// Loads a pack or a group of packs, or the first `lanes` numbers of a pack.
  template <class P = Pack<T>, class... Count>
  P load(std::size_t i, Count... lanes) const {
    return P::load(from + (i & moves), lanes...);
  }
};

/// An operand, repeated according to its broadcasting.
template <class T>
class Operand {
 public:
  /// The rows of the result have `inner` elements.
  void bind(const std::byte* data, Broadcast kind, std::size_t inner) {
    data_ = reinterpret_cast<const T*>(data);
    kind_ = kind;
    inner_ = inner;
  }
  /// Returns a row, valid until the next call.
  OperandRow<T> row(std::size_t number) {
    switch (kind_) {
      case Broadcast::none:
        return {data_ + number * inner_, ~std::size_t{0}};
      case Broadcast::row:
        return {data_, ~std::size_t{0}};
      case Broadcast::scalar:
        return repeated(*data_);
      case Broadcast::column:
        break;
    }
    return repeated(data_[number]);
  }

 private:
  OperandRow<T> repeated(T number) {
    std::fill(std::begin(repeated_), std::end(repeated_), number);
    return {repeated_, 0};
  }

  const T* data_ = nullptr;
  Broadcast kind_ = Broadcast::none;
  std::size_t inner_ = 0;
  alignas(pack_bytes) T repeated_[PackGroup<T, packs_in_group>::size];
};

/// Adds the gradient of an operand of a result with `rows` rows to its target, summed where the
/// operand was repeated. pulled_of(row) returns a function pulled(i, lanes...): the gradients of
/// the pack of entries that starts at column i.
template <class T, class PulledOf>
void add_gradient(const Tape::Target<T>& target, Broadcast kind, std::size_t rows,
                  std::size_t columns, PulledOf pulled_of) {
  using P = Pack<T>;
  const bool summed = kind == Broadcast::scalar || kind == Broadcast::column;
  P total(0);
  for (std::size_t row = 0; row < rows; ++row) {
    const auto pulled = pulled_of(row);
    // The loops contain no branches, which matters for short results.
    if (summed) {
      for_each_pack<T>(columns, [&](std::size_t i, auto... lanes) {
        P some = pulled(i, lanes...);
        if constexpr (sizeof...(lanes) > 0) some = where(first_lanes<T>(lanes...), some, P(0));
        total += some;
      });
      if (kind == Broadcast::scalar && row + 1 < rows) continue;
      T* const to = target.data + (kind == Broadcast::column ? row : 0);
      *to = target.add ? *to + sum(total) : sum(total);
      total = P(0);
      continue;
    }
    T* const to = target.data + (kind == Broadcast::none ? row * columns : 0);
    if (target.add || (kind == Broadcast::row && row > 0))
      for_each_pack<T>(columns, [&](std::size_t i, auto... lanes) {
        (P::load(to + i, lanes...) + pulled(i, lanes...)).store(to + i, lanes...);
      });
    else
      for_each_pack<T>(columns, [&](std::size_t i, auto... lanes) {
        pulled(i, lanes...).store(to + i, lanes...);
      });
  }
  if (rows == 0 && !target.add && kind == Broadcast::scalar) *target.data = 0;
  if (rows == 0 && !target.add && kind == Broadcast::row) std::fill_n(target.data, columns, T(0));
}

/// True if a formula is computed for groups of packs: if it returns slopes, which takes long enough
/// to pay, and takes groups. Only in float32, in which models are trained, because formulas take as
/// long to compile for groups as for single packs.
template <class T, class Formula, class Pullback, std::size_t n>
constexpr bool takes_groups() {
  if constexpr (std::is_same_v<T, float> && std::is_same_v<Pullback, SavedSlopes>)
    return []<std::size_t... i>(std::index_sequence<i...>) {
      return std::is_invocable_v<Formula, decltype(i, PackGroup<T, packs_in_group>())...>;
    }(std::make_index_sequence<n>());
  return false;
}

template <std::size_t n, class Formula, class Pullback>
struct Closure {
  Formula formula;
  Pullback pullback;
  Loop<n> loop;
};

/// Returns the inputs of a node from number `first` on as operands of a result with rows of `inner`
/// elements.
template <class T, std::size_t n>
std::array<Operand<T>, n> operands_of(Tape& tape, const Node& node, std::size_t first,
                                      const std::array<Broadcast, n>& kinds, std::size_t inner) {
  std::array<Operand<T>, n> operands;
  for (std::size_t k = 0; k < n; ++k)
    operands[k].bind(tape.input_of(node, first + k).value, kinds[k], inner);
  return operands;
}

/// Returns the rows of all operands that a row of the result is computed from.
template <class T, std::size_t n>
std::array<OperandRow<T>, n> rows_of(std::array<Operand<T>, n>& operands, std::size_t number) {
  std::array<OperandRow<T>, n> rows;
  for (std::size_t k = 0; k < n; ++k) rows[k] = operands[k].row(number);
  return rows;
}

template <class P, std::size_t n, class F, std::size_t... i>
auto call_with(const F& f, const std::array<P, n>& packs, std::index_sequence<i...>) {
  return f(packs[i]...);
}

/// All of a formula is inlined (flatten): a call would save every register.
template <class T, std::size_t n, class Formula, class Pullback, bool save>
[[gnu::flatten]] void elementwise_forward(Tape& tape, Node& node) {
  const auto& closure = *static_cast<const Closure<n, Formula, Pullback>*>(node.closure);
  const std::size_t outer = closure.loop.outer(tape, node.shape);
  const std::size_t inner = closure.loop.inner(tape, node.shape);
  auto operands = operands_of<T>(tape, node, 0, closure.loop.kinds, inner);
  T* value = reinterpret_cast<T*>(node.value);
  T* saved = reinterpret_cast<T*>(node.saved);
  const auto capacity = static_cast<std::size_t>(node.shape.capacity());
  // Formulas with slopes compute long enough to prefetch some rows at no cost.
  constexpr bool prefetches = std::is_same_v<Pullback, SavedSlopes>;
  RowPrefetcher prefetcher;
  if constexpr (prefetches) prefetcher = tape.row_prefetcher();

  for (std::size_t row = 0; row < outer; ++row) {
    const std::size_t start = row * inner;
    const auto rows = rows_of(operands, row);
    // With a formula of its own, what the block makes of captured options is not made anew for each
    // pack, as it would be if a store could change them.
    const auto block = [&, rows, formula = closure.formula]<class P>(std::type_identity<P>,
                                                                     std::size_t i, auto... lanes) {
      if constexpr (prefetches) prefetcher.prefetch(P::size / 2);
      // No loop over operands: GCC would unroll it too late to keep groups in registers.
      [&]<std::size_t... k>(std::index_sequence<k...>) {
        const auto result = formula(rows[k].template load<P>(i, lanes...)...);
        if constexpr (std::is_same_v<Pullback, SavedSlopes>) {
          result.value.store(value + start + i, lanes...);
          if constexpr (save)
            (result.slopes[k].store(saved + k * capacity + start + i, lanes...), ...);
        } else {
          P(result).store(value + start + i, lanes...);
        }
      }(std::make_index_sequence<n>());
    };
    if constexpr (takes_groups<T, Formula, Pullback, n>())
      for_each_pack_group<T, packs_in_group>(inner, block);
    else
      for_each_pack<T>(inner, [&](std::size_t i, auto... lanes) {
        block(std::type_identity<Pack<T>>(), i, lanes...);
      });
  }
  if constexpr (prefetches) tape.row_prefetcher() = prefetcher;
}

/// Adds the gradient of operand k.
template <class T, std::size_t n, class Formula, class Pullback, std::size_t k>
void pull_operand(Tape& tape, const Node& node) {
  using P = Pack<T>;
  const auto target = tape.gradient_target<T>(node, k);
  if (!target) return;
  const auto& closure = *static_cast<const Closure<n, Formula, Pullback>*>(node.closure);
  const std::size_t outer = closure.loop.outer(tape, node.shape);
  const std::size_t inner = closure.loop.inner(tape, node.shape);
  const T* gradient = reinterpret_cast<const T*>(node.gradient);
  if constexpr (std::is_same_v<Pullback, SavedSlopes>) {
    const T* slope = reinterpret_cast<const T*>(node.saved) +
                     k * static_cast<std::size_t>(node.shape.capacity());
    add_gradient(target, closure.loop.kinds[k], outer, inner, [=](std::size_t row) {
      const T *const g = gradient + row * inner, *const s = slope + row * inner;
      return [=](std::size_t i, auto... lanes) {
        return P::load(g + i, lanes...) * P::load(s + i, lanes...);
      };
    });
  } else {
    auto operands = operands_of<T>(tape, node, 0, closure.loop.kinds, inner);
    const T* value = reinterpret_cast<const T*>(node.value);
    add_gradient(target, closure.loop.kinds[k], outer, inner, [&](std::size_t row) {
      return [rows = rows_of(operands, row), pullback = closure.pullback,
              g = gradient + row * inner, v = value + row * inner](std::size_t i, auto... lanes) {
        std::array<P, n + 2> packs;
        packs[0] = P::load(g + i, lanes...);
        for (std::size_t o = 0; o < n; ++o) packs[o + 1] = rows[o].load(i, lanes...);
        packs[n + 1] = P::load(v + i, lanes...);
        return call_with<P, n + 2>(pullback, packs, std::make_index_sequence<n + 2>{})[k];
      };
    });
  }
}

template <class T, std::size_t n, class Formula, class Pullback>
void elementwise_backward(Tape& tape, Node& node) {
  [&]<std::size_t... k>(std::index_sequence<k...>) {
    (pull_operand<T, n, Formula, Pullback, k>(tape, node), ...);
  }(std::make_index_sequence<n>{});
}

template <class T, std::size_t n, class Formula, class Pullback, bool save>
inline constexpr Kernel elementwise_kernel = {
    elementwise_forward<T, n, Formula, Pullback, save>,
    elementwise_backward<T, n, Formula, Pullback>, demand_same_rows,
    std::is_same_v<Pullback, SavedSlopes> ? Compaction::lead : Compaction::follow};
template <std::size_t n, class Formula, class Pullback, bool save>
inline constexpr Kernels elementwise_kernels = {
    elementwise_kernel<float, n, Formula, Pullback, save>,
    elementwise_kernel<double, n, Formula, Pullback, save>};

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
