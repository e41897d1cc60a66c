#include "autograd/ops/select.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/core.h>

#include "autograd/ops/elementwise.h"
#include "base/error.h"

namespace ultr {
namespace {

/// The broadcasting of yes and no, which are inputs 1 and 2. Input 0 is the mask.
struct WhereClosure {
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
  const auto& closure = *static_cast<const WhereClosure*>(node.closure);
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
  const auto& closure = *static_cast<const WhereClosure*>(node.closure);
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
  const auto& closure = *static_cast<const WhereClosure*>(node.closure);
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

Broadcast operand_kind(Tensor operand, const Shape& shape) {
  if (operand.shape() == shape) return Broadcast::none;
  if (operand.shape().single()) return Broadcast::scalar;
  throw ShapeError(
      fmt::format("where: the condition is {}, an operand is {}; expected the same "
                  "length or a scalar",
                  to_string(shape), to_string(operand.shape())));
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
  Tape& tape = common_tape("where", std::array{Tensor(*condition.tape, condition.node), yes, no});
  const Shape shape = tape.node(condition.node).shape;
  const WhereClosure closure{{operand_kind(yes, shape), operand_kind(no, shape)}};
  const auto recorded = tape.record("where", NodeKind::real, shape, &where_kernels,
                                    std::array{condition.node, yes.node(), no.node()});
  recorded.node.closure = tape.arena().create(closure);
  return tape.tensor(recorded);
}

Tensor where(Mask condition, Tensor yes, double no) {
  return where(condition, yes, condition.tape->constant(no));
}

Tensor where(Mask condition, double yes, Tensor no) {
  return where(condition, condition.tape->constant(yes), no);
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
