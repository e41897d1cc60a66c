#include "autograd/pairwise.h"

#include <algorithm>
#include <array>

#include <fmt/core.h>

#include "autograd/arithmetic.h"
#include "autograd/error.h"
#include "autograd/pack.h"
#include "autograd/segment_offsets.h"
#include "autograd/tape.h"
#include "autograd/vector_math.h"

namespace ultr {
namespace {

/// The inputs of the node in this order; which of the optional ones are there says the closure.
enum Input : std::size_t { scores, offsets, order, gain, discount, winner, loser, inputs };

struct PairwiseClosure {
  std::array<std::int8_t, inputs> at;  // position among the node's inputs, -1 if absent
};

template <class T>
struct PairwiseArrays {
  std::array<const T*, inputs> of{};

  PairwiseArrays(Tape& tape, const Node& node) {
    const auto& closure = *static_cast<const PairwiseClosure*>(node.closure);
    for (std::size_t k = 0; k < inputs; ++k)
      if (k != offsets && closure.at[k] >= 0)
        of[k] = reinterpret_cast<const T*>(
            tape.input_of(node, static_cast<std::size_t>(closure.at[k])).value);
  }
  T at(Input k, std::size_t i) const { return of[k] == nullptr ? T(1) : of[k][i]; }
};

/// One segment: returns the loss and adds d/d score, d/d winner and d/d loser to the slopes.
template <class T>
T segment_loss(const PairwiseArrays<T>& in, std::size_t begin, std::size_t end,
               const std::array<T*, 3>& slopes) {
  using P = Pack<T>;
  P total(0);
  for (std::size_t i = begin; i < end; ++i) {
    const P score = P::broadcast(in.of[scores][i]), rank = P::broadcast(in.of[order][i]);
    P score_slope(0), winner_slope(0);
    const auto block = [&](std::size_t j, auto... lanes) {
      auto above = rank > P::load(in.of[order] + j, lanes...);
      if constexpr (sizeof...(lanes) > 0) {
        // Lanes past the end hold order 0, which may be below.
        T inside[P::size];
        std::fill_n(inside, P::size, T(0));
        std::fill_n(inside, (lanes + ...), T(1));
        above = above & (P::load(inside) > P(0));
      }
      const P x = P::load(in.of[scores] + j, lanes...) - score;  // the loss is softplus(x)
      const P u = exp(-abs(x));
      const P loss = max(x, 0) + log1p_of_unit(u);
      const P slope = where(x < 0, u, 1) / (u + 1);
      P weight = where(above, 1, P(0));
      if (in.of[gain] != nullptr)
        weight = weight * abs(P::broadcast(in.of[gain][i]) - P::load(in.of[gain] + j, lanes...));
      if (in.of[discount] != nullptr)
        weight =
            weight * abs(P::broadcast(in.of[discount][i]) - P::load(in.of[discount] + j, lanes...));
      const P won = P::broadcast(in.at(winner, i));
      const P lost = in.of[loser] == nullptr ? P(1) : P::load(in.of[loser] + j, lanes...);
      // Select again: a pair that does not count may be infinite.
      const P counted = where(above, weight * loss, 0);
      total += counted * won * lost;
      winner_slope += counted * lost;
      const P push = where(above, weight * slope, 0) * won * lost;
      score_slope += push;
      if (slopes[0] != nullptr)
        (P::load(slopes[0] + j, lanes...) + push).store(slopes[0] + j, lanes...);
      if (slopes[2] != nullptr)
        (P::load(slopes[2] + j, lanes...) + counted * won).store(slopes[2] + j, lanes...);
    };
    std::size_t j = begin;
    for (; j + P::size <= end; j += P::size) block(j);
    if (j < end) block(j, end - j);
    if (slopes[0] != nullptr) slopes[0][i] -= sum(score_slope);
    if (slopes[1] != nullptr) slopes[1][i] += sum(winner_slope);
  }
  return sum(total);
}

template <class T>
std::array<T*, 3> slopes_of(const Node& node, std::size_t capacity) {
  T* saved = reinterpret_cast<T*>(node.saved);
  if (saved == nullptr) return {};
  return {saved, saved + capacity, saved + 2 * capacity};
}

template <class T>
void pairwise_forward(Tape& tape, Node& node) {
  const Node& vector = tape.input_of(node, scores);
  const auto n = static_cast<std::size_t>(tape.size_of(vector.shape));
  const auto slopes = slopes_of<T>(node, static_cast<std::size_t>(vector.shape.capacity()));
  for (T* slope : slopes)
    if (slope != nullptr) std::fill_n(slope, n, T(0));
  const PairwiseArrays<T> in(tape, node);
  const std::uint32_t* begin = detail::checked_offsets(tape, node, node.shape.rows);
  const auto count = static_cast<std::size_t>(tape.size_of(node.shape));
  for (std::size_t i = 0; i < count; ++i)
    reinterpret_cast<T*>(node.value)[i] = segment_loss(in, begin[i], begin[i + 1], slopes);
}

template <class T>
void pairwise_backward(Tape& tape, Node& node) {
  const auto& closure = *static_cast<const PairwiseClosure*>(node.closure);
  const auto slopes =
      slopes_of<T>(node, static_cast<std::size_t>(tape.input_of(node, scores).shape.capacity()));
  const T* gradient = reinterpret_cast<const T*>(node.gradient);
  const auto* begin = reinterpret_cast<const std::uint32_t*>(tape.input_of(node, offsets).value);
  const auto count = static_cast<std::size_t>(tape.size_of(node.shape));
  const std::array<Input, 3> receivers = {scores, winner, loser};
  for (std::size_t k = 0; k < receivers.size(); ++k) {
    if (closure.at[receivers[k]] < 0) continue;
    const auto target =
        tape.gradient_target<T>(node, static_cast<std::size_t>(closure.at[receivers[k]]));
    if (!target) continue;
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t at = begin[i]; at < begin[i + 1]; ++at)
        target.data[at] = (target.add ? target.data[at] : T(0)) + gradient[i] * slopes[k][at];
  }
}

constexpr Kernels pairwise_kernels = {{pairwise_forward<float>, pairwise_backward<float>},
                                      {pairwise_forward<double>, pairwise_backward<double>}};

}  // namespace

Tensor pairwise_logistic(Tensor scores_of, Tensor order_of, Segments segments,
                         const PairWeights& weights) {
  Tape& tape = common_tape(
      "pairwise_logistic",
      std::array{scores_of, order_of, Tensor(*segments.offsets.tape, segments.offsets.node),
                 weights.gain.value_or(scores_of), weights.discount.value_or(scores_of),
                 weights.winner.value_or(scores_of), weights.loser.value_or(scores_of)});
  PairwiseClosure closure;
  closure.at.fill(-1);
  std::array<NodeId, inputs> nodes{};
  std::size_t count = 0;
  const auto put = [&](Input which, NodeId node) {
    closure.at[which] = static_cast<std::int8_t>(count);
    nodes[count++] = node;
  };
  const auto put_vector = [&](Input which, const char* name, Tensor tensor) {
    if (tensor.shape().rank != 1 || tensor.shape() != scores_of.shape())
      throw ShapeError(
          fmt::format("pairwise_logistic: scores is {}, {} is {}; expected two vectors "
                      "of one length",
                      to_string(scores_of.shape()), name, to_string(tensor.shape())));
    // The backward kernel writes no gradient for these; stopped, they are not waited for.
    const bool constant = which == order || which == gain || which == discount;
    if (constant && tape.node(tensor.node()).requires_gradient) tensor = stop_gradient(tensor);
    put(which, tensor.node());
  };
  put_vector(scores, "scores", scores_of);
  put(offsets, segments.offsets.node);
  put_vector(order, "order", order_of);
  if (weights.gain) put_vector(gain, "gain", *weights.gain);
  if (weights.discount) put_vector(discount, "discount", *weights.discount);
  if (weights.winner) put_vector(winner, "winner", *weights.winner);
  if (weights.loser) put_vector(loser, "loser", *weights.loser);
  const auto recorded =
      tape.record("pairwise_logistic", NodeKind::real, Shape::vector(segments.count),
                  &pairwise_kernels, std::span(nodes).first(count));
  recorded.node.closure = tape.arena().create(closure);
  if (recorded.node.requires_gradient)
    recorded.node.saved = tape.arena().allocate(
        3 * static_cast<std::size_t>(scores_of.shape().capacity()) * tape.element_bytes());
  return tape.tensor(recorded);
}

}  // namespace ultr
