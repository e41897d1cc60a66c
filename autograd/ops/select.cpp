#include "autograd/ops/select.h"

#include <algorithm>
#include <array>
#include <limits>

#include <fmt/core.h>

#include "autograd/ops/elementwise.h"
#include "base/error.h"

namespace ultr {
namespace {

/// The broadcasting of two operands beside a mask. Input 0 is the mask; inputs 1 and 2 are yes and
/// no of `where`, and a and b of log_both.
struct MaskedClosure {
  std::array<Broadcast, 2> kinds;
};

/// Calls visit(i, e, chosen) for each entry i that a compact operand lists. Entry i is element e of
/// the result; `chosen` is true if the mask selects this operand there.
template <class Visit>
void for_each_listed(Tape& tape, const Node& node, std::size_t input, Visit visit) {
  const Node& operand = tape.input_of(node, input);
  const EntryList& list = *operand.compact;
  const auto count = static_cast<std::size_t>(tape.size_of(list.listed));
  const bool choice = input == 1;
  // Usually the operand is needed, and thus listed, only where it is chosen.
  const std::span conditions = operand.demand.all();
  if (std::ranges::find(conditions, Condition{node.inputs[0], choice}) != conditions.end()) {
    for (std::size_t i = 0; i < count; ++i) visit(i, list.entries[i], std::true_type());
    return;
  }
  const auto* mask = reinterpret_cast<const std::uint8_t*>(tape.input_of(node, 0).value);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t e = list.entries[i];
    visit(i, e, (mask[e] != 0) == choice);
  }
}

/// Computes `where` if an operand is compact. Elements that are on no list are needed only if they
/// belong to the other operand.
template <class T>
void where_forward_of_listed(Tape& tape, Node& node) {
  const auto& closure = *static_cast<const MaskedClosure*>(node.closure);
  const auto n = static_cast<std::size_t>(tape.size_of(node.shape));
  T* value = reinterpret_cast<T*>(node.value);
  const bool yes_listed = tape.input_of(node, 1).compact != nullptr;
  const bool no_listed = tape.input_of(node, 2).compact != nullptr;
  if (yes_listed && no_listed) {
    std::fill_n(value, n, T(0));
  } else {
    const T* other = reinterpret_cast<const T*>(tape.input_of(node, yes_listed ? 2 : 1).value);
    if (closure.kinds[yes_listed ? 1 : 0] == Broadcast::scalar)
      std::fill_n(value, n, *other);
    else
      std::copy_n(other, n, value);
  }
  for (std::size_t input = 1; input <= 2; ++input) {
    if (tape.input_of(node, input).compact == nullptr) continue;
    const T* operand = reinterpret_cast<const T*>(tape.input_of(node, input).value);
    for_each_listed(tape, node, input, [&](std::size_t i, std::size_t e, auto chosen) {
      if (chosen) value[e] = operand[i];
    });
  }
}

template <class T>
void where_forward(Tape& tape, Node& node) {
  if (tape.input_of(node, 1).compact != nullptr || tape.input_of(node, 2).compact != nullptr) {
    where_forward_of_listed<T>(tape, node);
    return;
  }
  const auto& closure = *static_cast<const MaskedClosure*>(node.closure);
  const auto n = static_cast<std::size_t>(tape.size_of(node.shape));
  const auto* mask = reinterpret_cast<const std::uint8_t*>(tape.input_of(node, 0).value);
  auto operands = detail::operands_of<T>(tape, node, 1, closure.kinds, n);
  const auto [yes, no] = detail::rows_of(operands, 0);
  T* value = reinterpret_cast<T*>(node.value);
  for_each_pack<T>(n, [=](std::size_t i, auto... lanes) {
    where(load_mask<T>(mask + i, lanes...), yes.load(i, lanes...), no.load(i, lanes...))
        .store(value + i, lanes...);
  });
}

/// Adds the gradient of operand `input`, which is known at compile time so that the inner loop does
/// not choose.
template <class T, std::size_t input>
void pull_where(Tape& tape, const Node& node, Broadcast kind) {
  const auto target = tape.gradient_target<T>(node, input);
  if (!target) return;
  const auto n = static_cast<std::size_t>(tape.size_of(node.shape));
  const auto* mask = reinterpret_cast<const std::uint8_t*>(tape.input_of(node, 0).value);
  const T* gradient = reinterpret_cast<const T*>(node.gradient);
  if (tape.input_of(node, input).compact != nullptr) {
    for_each_listed(tape, node, input, [&](std::size_t i, std::size_t e, auto chosen) {
      const T g = chosen ? gradient[e] : T(0);
      target.data[i] = target.add ? target.data[i] + g : g;
    });
    return;
  }
  detail::add_gradient(target, kind, 1, n, [=](std::size_t) {
    return [=](std::size_t i, auto... lanes) {
      const Lanes<T> condition = load_mask<T>(mask + i, lanes...);
      const auto g = Pack<T>::load(gradient + i, lanes...);
      return input == 1 ? where(condition, g, 0) : where(condition, 0, g);
    };
  });
}

template <class T>
void where_backward(Tape& tape, Node& node) {
  const auto& closure = *static_cast<const MaskedClosure*>(node.closure);
  pull_where<T, 1>(tape, node, closure.kinds[0]);
  pull_where<T, 2>(tape, node, closure.kinds[1]);
}

Demand where_demand(const Tape& tape, const Node& node, std::size_t input, const Demand& own) {
  if (input == 0) return own;
  if (tape.node(node.inputs[input]).shape != node.shape) return Demand::everywhere();
  return own.with({node.inputs[0], input == 1});
}

constexpr Kernels where_kernels = {
    {where_forward<float>, where_backward<float>, where_demand, Compaction::expand},
    {where_forward<double>, where_backward<double>, where_demand, Compaction::expand}};

/// The value of log_both and its slopes for a and b.
///
/// With x = e^-|a|: σ(a) = a1/(1+x) and σ(-a) = a0/(1+x), where one of a1 and a0 is 1 and the other
/// x; likewise for b with y. Then σ(a)σ(b) = a1 b1 / scale and 1 - σ(a)σ(b) = q / scale, where
/// scale is (1+x)(1+y) and q = a1 b0 + a0 b1 + a0 b0, a sum without cancellation. One logarithm
/// serves both outcomes: log(σ(a)σ(b)) = min(a, 0) + min(b, 0) - log(scale), whose first terms keep
/// small probabilities exact.
template <class P>
struct LogBoth {
  P slope_of_a, slope_of_b;

  template <class Truths>
  LogBoth(const Truths& both, const P& a, const P& b) {
    const P x = exp(-abs(a)), y = exp(-abs(b));
    const auto a_below = a < P(0), b_below = b < P(0);
    const P a1 = where(a_below, x, 1), a0 = where(a_below, 1, x);
    const P b1 = where(b_below, y, 1), b0 = where(b_below, 1, y);
    const P sum = x + y + x * y, share = 1 / (sum + 1);
    const P product = a1 * b1, q = a1 * b0 + a0 * (b1 + b0);
    constexpr auto most = std::numeric_limits<typename P::Scalar>::max();
    const P odds = where(both, P(1), where(q == P(0), P(0), -min(product / q, most)));
    slope_of_a = odds * (a0 * share * (y + 1));
    slope_of_b = odds * (b0 * share * (x + 1));
    complement_ = share * where(both, sum, product);
    outcome_ = share * where(both, 1, q);
    outside_ = where(both, min(a, 0) + min(b, 0), 0);
  }
  /// Takes a logarithm: to be called last, when no other numbers are needed any more.
  P value() const { return log_of_complement(complement_, outcome_) + outside_; }

 private:
  P complement_, outcome_, outside_;
};

template <class T>
[[gnu::flatten]] void log_both_forward(Tape& tape, Node& node) {
  const auto& closure = *static_cast<const MaskedClosure*>(node.closure);
  const auto n = static_cast<std::size_t>(tape.size_of(node.shape));
  const auto capacity = static_cast<std::size_t>(node.shape.capacity());
  const auto* mask = reinterpret_cast<const std::uint8_t*>(tape.input_of(node, 0).value);
  auto operands = detail::operands_of<T>(tape, node, 1, closure.kinds, n);
  const auto [a, b] = detail::rows_of(operands, 0);
  T* const value = reinterpret_cast<T*>(node.value);
  T* const saved = reinterpret_cast<T*>(node.saved);
  RowPrefetcher prefetcher = tape.row_prefetcher();
  // Groups of two: with more, most numbers of this formula would not stay in registers.
  for_each_pack_group<T, 2>(
      n, [=, &prefetcher]<class P>(std::type_identity<P> type, std::size_t i, auto... lanes) {
        prefetcher.prefetch(P::size);  // computes about as long as two other ops that prefetch
        const LogBoth<P> result(load_mask_of(type, mask + i, lanes...),
                                a.template load<P>(i, lanes...), b.template load<P>(i, lanes...));
        if (saved != nullptr) {
          result.slope_of_a.store(saved + i, lanes...);
          result.slope_of_b.store(saved + capacity + i, lanes...);
        }
        result.value().store(value + i, lanes...);
      });
  tape.row_prefetcher() = prefetcher;
}

template <class T>
void log_both_backward(Tape& tape, Node& node) {
  const auto& closure = *static_cast<const MaskedClosure*>(node.closure);
  const auto n = static_cast<std::size_t>(tape.size_of(node.shape));
  const T* const gradient = reinterpret_cast<const T*>(node.gradient);
  const T* slopes = reinterpret_cast<const T*>(node.saved);
  for (const std::size_t operand : {0u, 1u}) {
    if (const auto target = tape.gradient_target<T>(node, operand + 1))
      detail::add_gradient(target, closure.kinds[operand], 1, n, [=](std::size_t) {
        return [=](std::size_t i, auto... lanes) {
          return Pack<T>::load(gradient + i, lanes...) * Pack<T>::load(slopes + i, lanes...);
        };
      });
    slopes += node.shape.capacity();
  }
}

constexpr Kernels log_both_kernels = {
    {log_both_forward<float>, log_both_backward<float>, demand_same_rows},
    {log_both_forward<double>, log_both_backward<double>, demand_same_rows}};

Broadcast operand_kind(const char* op, Tensor operand, const Shape& shape) {
  if (operand.shape() == shape) return Broadcast::none;
  if (operand.shape().single()) return Broadcast::scalar;
  throw ShapeError(
      fmt::format("{}: the condition is {}, an operand is {}; expected the same "
                  "length or a scalar",
                  op, to_string(shape), to_string(operand.shape())));
}

/// Records an op of a mask and two operands.
Tape::Recorded record_masked(const char* op, Mask mask, Tensor first, Tensor second,
                             const Kernels& kernels) {
  Tape& tape = common_tape(op, std::array{Tensor(*mask.tape, mask.node), first, second});
  const Shape shape = tape.node(mask.node).shape;
  const MaskedClosure closure{{operand_kind(op, first, shape), operand_kind(op, second, shape)}};
  const auto recorded = tape.record(op, NodeKind::real, shape, &kernels,
                                    std::array{mask.node, first.node(), second.node()});
  recorded.node.closure = tape.arena().create(closure);
  return recorded;
}

template <class T>
void greater_forward(Tape& tape, Node& node) {
  const auto n = static_cast<std::size_t>(tape.size_of(node.shape));
  const T* a = reinterpret_cast<const T*>(tape.input_of(node, 0).value);
  const T* b = reinterpret_cast<const T*>(tape.input_of(node, 1).value);
  auto* value = reinterpret_cast<std::uint8_t*>(node.value);
  for (std::size_t i = 0; i < n; ++i) value[i] = a[i] > b[i] ? 1 : 0;
}

template <class T>
void is_negative_infinity_forward(Tape& tape, Node& node) {
  const auto n = static_cast<std::size_t>(tape.size_of(node.shape));
  const T* x = reinterpret_cast<const T*>(tape.input_of(node, 0).value);
  auto* value = reinterpret_cast<std::uint8_t*>(node.value);
  for (std::size_t i = 0; i < n; ++i) value[i] = x[i] == -static_cast<T>(HUGE_VAL) ? 1 : 0;
}

constexpr Kernels is_negative_infinity_kernels = {
    {is_negative_infinity_forward<float>, nullptr, demand_same_rows},
    {is_negative_infinity_forward<double>, nullptr, demand_same_rows}};
constexpr Kernels greater_kernels = {{greater_forward<float>, nullptr, demand_same_rows},
                                     {greater_forward<double>, nullptr, demand_same_rows}};

}  // namespace

Tensor where(Mask condition, Tensor yes, Tensor no) {
  return yes.tape().tensor(record_masked("where", condition, yes, no, where_kernels));
}

Tensor where(Mask condition, Tensor yes, double no) {
  return where(condition, yes, condition.tape->constant(no));
}

Tensor where(Mask condition, double yes, Tensor no) {
  return where(condition, condition.tape->constant(yes), no);
}

Tensor log_both(Mask both, Tensor a, Tensor b) {
  const auto recorded = record_masked("log_both", both, a, b, log_both_kernels);
  Tape& tape = a.tape();
  if (recorded.node.requires_gradient)
    recorded.node.saved = tape.arena().allocate(
        2 * static_cast<std::size_t>(recorded.node.shape.capacity()) * tape.element_bytes());
  return tape.tensor(recorded);
}

Mask greater(Tensor a, Tensor b) {
  Tape& tape = common_tape("greater", std::array{a, b});
  if (a.shape() != b.shape() || a.shape().rank != 1)
    throw ShapeError(
        fmt::format("greater: a is {}, b is {}; expected two vectors of the same length",
                    to_string(a.shape()), to_string(b.shape())));
  const auto recorded = tape.record("greater", NodeKind::mask, a.shape(), &greater_kernels,
                                    std::array{a.node(), b.node()});
  return {&tape, recorded.id};
}

Mask is_negative_infinity(Tensor x) {
  Tape& tape = x.tape();
  if (x.shape().rank != 1)
    throw ShapeError(
        fmt::format("is_negative_infinity: x is {}; expected a vector", to_string(x.shape())));
  const auto recorded = tape.record("is_negative_infinity", NodeKind::mask, x.shape(),
                                    &is_negative_infinity_kernels, std::array{x.node()});
  return {&tape, recorded.id};
}

}  // namespace ultr
