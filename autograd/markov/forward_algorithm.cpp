#include "autograd/markov/forward_algorithm.h"

#include <algorithm>

#include <fmt/core.h>

#include "autograd/markov/backward_pass.h"
#include "autograd/markov/forward_pass.h"
#include "base/error.h"

namespace ultr {
namespace {

template <class T>
void forward(Tape& tape, Node& node) {
  detail::ForwardPass<T>(tape, node).run();
}
template <class T>
void backward(Tape& tape, Node& node) {
  detail::BackwardPass<T>(tape, node).run();
}

/// Moves of last elements are not needed.
Demand demand_of(const Tape& tape, const Node& node, std::size_t input, const Demand&) {
  const auto& model = *static_cast<const detail::ForwardClosure*>(node.closure);
  const bool is_move = std::ranges::any_of(
      model.moves, [&](const detail::ForwardClosure::Move& move) { return move.p == input; });
  if (!is_move || tape.node(node.inputs[input]).shape.single()) return Demand::everywhere();
  return Demand::everywhere().with({node.inputs[model.continues], true});
}

constexpr Kernels forward_algorithm_kernels = {{forward<float>, backward<float>, demand_of},
                                               {forward<double>, backward<double>, demand_of}};

/// Arrays of a node that is being recorded, on the tape's arena: recording must not allocate.
struct Recording {
  std::span<detail::ForwardClosure::State> states;
  std::span<detail::ForwardClosure::Move> moves;
  std::span<std::uint8_t> reached;
  std::span<NodeId> inputs;
  std::uint32_t inputs_used = 0;

  Recording(Arena& arena, const HiddenMarkovModel& model, std::size_t ranks)
      : states(array<detail::ForwardClosure::State>(arena, model.states.size())),
        moves(array<detail::ForwardClosure::Move>(arena, model.moves.size())),
        reached(array<std::uint8_t>(arena, ranks * model.states.size())),
        inputs(array<NodeId>(arena, 2 * model.states.size() + model.moves.size() + 1)) {}

  std::uint32_t add(NodeId node) {
    inputs[inputs_used] = node;
    return inputs_used++;
  }
  std::uint32_t add(const std::optional<Tensor>& x) {
    return x ? add(x->node()) : detail::no_input;
  }

 private:
  template <class T>
  static std::span<T> array(Arena& arena, std::size_t size) {
    return {reinterpret_cast<T*>(arena.allocate(size * sizeof(T))), size};
  }
};

/// Adds the tensors of a model to the inputs, in the order in which the backward pass goes through
/// them: the first writer of a gradient must come first.
void add_inputs(const HiddenMarkovModel& model, Recording& recording) {
  std::size_t moves = 0;
  for (std::size_t to = 0; to < model.states.size(); ++to)
    for (const HiddenMove& move : model.moves)
      if (move.to == to)
        recording.moves[moves++] = {static_cast<std::uint32_t>(move.from),
                                    static_cast<std::uint32_t>(to), recording.add(move.log_p)};
  for (std::size_t s = 0; s < model.states.size(); ++s)
    recording.states[s].observed = recording.add(model.states[s].log_observed);
  for (std::size_t s = 0; s < model.states.size(); ++s)
    recording.states[s].start = recording.add(model.states[s].log_start);
}

/// Finds out which states lists can be in at each rank.
void find_reached(const HiddenMarkovModel& model, std::span<std::uint8_t> reached) {
  const std::size_t states = model.states.size();
  std::ranges::fill(reached, 0);
  for (std::size_t s = 0; s < states; ++s) reached[s] = model.states[s].log_start ? 1 : 0;
  for (std::size_t before = 0; before + states < reached.size(); before += states)
    for (const HiddenMove& move : model.moves)
      reached[before + states + move.to] |= reached[before + move.from];
}

/// Throws ShapeError if a tensor does not fit.
void check(const char* op, const std::optional<Tensor>& x, const RankedLists& lists, bool single) {
  if (!x) return;
  const Shape &shape = x->shape(), elements = Shape::vector(lists.elements);
  if (&x->tape() != lists.continues.tape)
    throw ShapeError(fmt::format("{}: the operands are on different tapes", op));
  if (!shape.single() && (single || shape != elements))
    throw ShapeError(fmt::format("{}: an operand is {}; expected {}a scalar", op, to_string(shape),
                                 single ? "" : to_string(elements) + " or "));
}

void check(const char* op, const HiddenMarkovModel& model, const RankedLists& lists) {
  if (lists.begin.empty() || lists.begin.size() != lists.count.size())
    throw ShapeError(fmt::format("{}: {} ranks begin, {} have a number of lists; expected as many",
                                 op, lists.begin.size(), lists.count.size()));
  for (const HiddenState& state : model.states) {
    check(op, state.log_start, lists, true);
    check(op, state.log_observed, lists, false);
  }
  for (const HiddenMove& move : model.moves) {
    check(op, move.log_p, lists, false);
    if (std::max(move.from, move.to) >= model.states.size())
      throw ShapeError(fmt::format("{}: a move from state {} to {}; expected numbers below {}", op,
                                   move.from, move.to, model.states.size()));
  }
}

Tensor record(const char* op, const HiddenMarkovModel& model, const RankedLists& lists,
              bool so_far) {
  check(op, model, lists);
  Tape& tape = *lists.continues.tape;
  Arena& arena = tape.arena();
  Recording recording(arena, model, lists.begin.size());
  add_inputs(model, recording);
  find_reached(model, recording.reached);
  const auto numbers = [&](std::size_t arrays, Extent length) {
    return arena.allocate(arrays * static_cast<std::size_t>(length.capacity()) *
                          tape.element_bytes());
  };
  const detail::ForwardClosure closure{
      .begin = arena.copy(lists.begin),
      .count = arena.copy(lists.count),
      .states = recording.states,
      .moves = recording.moves,
      .reached = recording.reached,
      .continues = recording.add(lists.continues.node),
      .capacity = static_cast<std::size_t>(lists.elements.capacity()),
      .workspace = numbers(2 * model.states.size() + 1, lists.count[0]),
      .possible = model.log_impossible ? numbers(1, lists.elements) : nullptr,
      .so_far = so_far,
      .log_impossible = model.log_impossible.value_or(0)};
  const Extent rows = so_far ? lists.elements : lists.count[0];
  const auto recorded =
      tape.record(op, NodeKind::real, Shape::vector(rows), &forward_algorithm_kernels,
                  recording.inputs.first(recording.inputs_used));
  recorded.node.closure = arena.create(closure);
  if (recorded.node.requires_gradient)
    recorded.node.saved = numbers(model.moves.size() + model.states.size(), lists.elements);
  return tape.tensor(recorded);
}

}  // namespace

Tensor log_likelihoods(const HiddenMarkovModel& model, const RankedLists& lists) {
  return record("log_likelihoods", model, lists, false);
}

Tensor log_likelihoods_so_far(const HiddenMarkovModel& model, const RankedLists& lists) {
  return record("log_likelihoods_so_far", model, lists, true);
}

}  // namespace ultr
