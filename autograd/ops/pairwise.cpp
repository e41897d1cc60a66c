#include "autograd/ops/pairwise.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/core.h>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/groups.h"
#include "autograd/tape/tape.h"
#include "base/error.h"
#include "kernels/descending_ranks.h"
#include "kernels/pack.h"
#include "kernels/vector_math.h"

namespace ultr {
namespace {

/// The inputs of the node, in this order. The closure says which of the optional ones are present.
enum Input : std::size_t { scores, offsets, order, gain, discount, winner, loser, inputs };

struct PairwiseClosure {
  std::array<std::int8_t, inputs> at;  // position among the node's inputs, -1 if absent
  Extent count;                        // of segments
  std::byte* memory = nullptr;         // scratch memory of SortedSegment
};

/// The inputs that receive gradients.
constexpr std::array<Input, 3> receivers = {scores, winner, loser};

/// One segment, sorted in descending order. The elements against which one wins are then
/// contiguous, after those of its own order, so that registers are full of pairs that count.
/// `curved`: slopes of the scores are second derivatives instead.
template <class T, bool curved = false>
class SortedSegment {
 public:
  static constexpr std::size_t bytes(std::size_t most) {
    return arrays * padded(most) * sizeof(T) + detail::DescendingRanks<T>::bytes(most);
  }
  /// Uses `memory` of bytes(most) bytes for segments of inputs with up to `most` elements. Unless
  /// it is null, `slopes` receives an array of `most` numbers per receiver.
  SortedSegment(std::byte* memory, std::size_t most, T* slopes)
      : rank_(memory + arrays * padded(most) * sizeof(T), most) {
    T* next = reinterpret_cast<T*>(memory);
    const auto place = [&](auto& sorted) {
      for (T*& array : sorted) array = std::exchange(next, next + padded(most));
    };
    place(sorted_);
    place(powers_);
    place(sorted_slopes_);
    if (slopes == nullptr) return;
    for (std::size_t k = 0; k < receivers.size(); ++k) slopes_[k] = slopes + k * most;
  }

  /// Returns the loss of elements [begin, end) of the inputs and writes their slopes. Absent inputs
  /// are null.
  T loss(const std::array<const T*, inputs>& of, std::size_t begin, std::size_t end) {
    const std::size_t n = end - begin;
    const auto* rank = rank_(of[order] + begin, n);
    for (std::size_t k = 0; k < inputs; ++k) {
      given_[k] = of[k] != nullptr;
      if (!given_[k]) continue;
      const T* from = of[k] + begin;
      for (std::size_t i = 0; i < n; ++i) sorted_[k][rank[i]] = from[i];
    }
    for (T* slope : sorted_slopes_) std::fill_n(slope, padded(n), T(0));
    take_powers(n);
    std::size_t last = n;  // NaN has no order, so it is in no pair
    while (last > 0 && std::isnan(sorted_[order][last - 1])) --last;

    P total(0);
    std::size_t lower = 0;  // the first element of lower order
    for (std::size_t i = 0; i < last; ++i) {
      while (lower < last && sorted_[order][lower] >= sorted_[order][i]) ++lower;
      total += loss_of_winner(i, lower, last);
    }
    if (slopes_[0] != nullptr)
      for (std::size_t k = 0; k < receivers.size(); ++k)
        for (std::size_t i = 0; i < n; ++i) slopes_[k][begin + i] = sorted_slopes_[k][rank[i]];
    return sum(total);
  }

 private:
  using P = Pack<T>;
  static constexpr std::size_t arrays = inputs + 2 + receivers.size();
  static constexpr std::size_t padded(std::size_t n) { return n + P::size; }

  /// Computes e^(s-c) and e^(c-s) of each score s, c being one of the scores. Then e^(s_j - s_i) is
  /// a product, which costs a tenth of an exponential. The powers are used only if scores are so
  /// close that products stay in the range of T (`close_`).
  void take_powers(std::size_t n) {
    constexpr double furthest = sizeof(T) == 4 ? 40 : 300;
    const P center = P::broadcast(sorted_[scores][0]);
    P distance(0);
    for (std::size_t i = 0; i < n; i += P::size) {
      const P score = P::load(sorted_[scores] + i);
      exp_of_difference(score, center).store(powers_[0] + i);
      exp_of_difference(center, score).store(powers_[1] + i);
      distance = max(distance, where(first_lanes<T>(n - i), abs(score - center), 0));
    }
    close_ = all_true(!(distance > P(furthest)));
  }

  /// Returns the losses of the pairs that element i wins against [begin, end), and adds to their
  /// slopes.
  P loss_of_winner(std::size_t i, std::size_t begin, std::size_t end) {
    // Local copies: the compiler must assume that stores of packs change members.
    const auto at = sorted_;
    const auto power = powers_;
    const auto slope = sorted_slopes_;
    const auto given = given_;
    const bool close = close_;
    const auto own = [&](Input k) { return given[k] ? P::broadcast(at[k][i]) : P(1); };
    const P own_score = own(scores), own_gain = own(gain), own_discount = own(discount);
    const P won = own(winner);
    const P raised = P::broadcast(power[0][i]), lowered = P::broadcast(power[1][i]);
    P losses(0), pushes(0);
    for (std::size_t j = begin; j < end; j += P::size) {
      const P x = P::load(at[scores] + j) - own_score;  // the loss is log(1 + e^x)
      const P u = close ? min(P::load(power[0] + j) * lowered, P::load(power[1] + j) * raised)
                        : exp(-abs(x));
      P weight(1);
      if (given[gain]) weight = abs(own_gain - P::load(at[gain] + j));
      if (given[discount]) weight = weight * abs(own_discount - P::load(at[discount] + j));
      // Selected, because lanes beyond the end may hold anything.
      const auto inside = first_lanes<T>(end - j);
      P loss = where(inside, (max(x, 0) + log1p_of_unit(u)) * weight, 0);
      // σ(x), or σ(x) σ(-x).
      const P slope_of_loss = curved ? u / ((u + 1) * (u + 1)) : where(x < 0, u, 1) / (u + 1);
      P push = where(inside, slope_of_loss * weight, 0);
      if (given[loser]) {
        add(slope[2] + j, loss * won);
        const P lost = where(inside, P::load(at[loser] + j), 0);
        loss = loss * lost;
        push = push * lost;
      }
      add(slope[0] + j, push * won);
      losses += loss;
      pushes += push;
    }
    const T pushed = sum(pushes * won);
    slope[0][i] += curved ? pushed : -pushed;
    if (given[winner]) slope[1][i] = sum(losses);
    return losses * won;
  }

  static void add(T* to, P more) { (P::load(to) + more).store(to); }

  // In descending order. Each has room for one register more than its elements.
  std::array<T*, inputs> sorted_{};
  std::array<bool, inputs> given_{};
  std::array<T*, 2> powers_{};
  bool close_ = false;  // powers_ may be used
  std::array<T*, receivers.size()> sorted_slopes_{};

  std::array<T*, receivers.size()> slopes_{};  // in the order of the inputs
  detail::DescendingRanks<T> rank_;
};

/// Returns the values of the node's inputs; null for absent ones and the offsets.
template <class T>
std::array<const T*, inputs> values_of_inputs(Tape& tape, Node& node) {
  const auto& closure = *static_cast<const PairwiseClosure*>(node.closure);
  std::array<const T*, inputs> of{};
  for (std::size_t k = 0; k < inputs; ++k)
    if (k != offsets && closure.at[k] >= 0)
      of[k] = reinterpret_cast<const T*>(
          tape.input_of(node, static_cast<std::size_t>(closure.at[k])).value);
  return of;
}

template <class T>
void pairwise_forward(Tape& tape, Node& node) {
  const auto& closure = *static_cast<const PairwiseClosure*>(node.closure);
  const Node& vector = tape.input_of(node, scores);
  const std::array<const T*, inputs> of = values_of_inputs<T>(tape, node);
  SortedSegment<T> segment(closure.memory, static_cast<std::size_t>(vector.shape.capacity()),
                           reinterpret_cast<T*>(node.saved));
  const std::uint32_t* begin = detail::checked_offsets(tape, node, node.shape.rows);
  const auto count = static_cast<std::size_t>(tape.size_of(node.shape));
  for (std::size_t i = 0; i < count; ++i)
    reinterpret_cast<T*>(node.value)[i] = segment.loss(of, begin[i], begin[i + 1]);
}

template <class T>
void pairwise_backward(Tape& tape, Node& node) {
  const auto& closure = *static_cast<const PairwiseClosure*>(node.closure);
  const auto most = static_cast<std::size_t>(tape.input_of(node, scores).shape.capacity());
  const T* gradient = reinterpret_cast<const T*>(node.gradient);
  const auto* begin = reinterpret_cast<const std::uint32_t*>(tape.input_of(node, offsets).value);
  const auto count = static_cast<std::size_t>(tape.size_of(node.shape));
  for (std::size_t k = 0; k < receivers.size(); ++k) {
    if (closure.at[receivers[k]] < 0) continue;
    const auto target =
        tape.gradient_target<T>(node, static_cast<std::size_t>(closure.at[receivers[k]]));
    if (!target) continue;
    const T* slopes = reinterpret_cast<const T*>(node.saved) + k * most;
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t at = begin[i]; at < begin[i + 1]; ++at)
        target.put(at, gradient[i] * slopes[at]);
  }
}

template <class T>
void curvature_forward(Tape& tape, Node& node) {
  const auto& closure = *static_cast<const PairwiseClosure*>(node.closure);
  const Node& vector = tape.input_of(node, scores);
  const std::array<const T*, inputs> of = values_of_inputs<T>(tape, node);
  T* const curvatures = reinterpret_cast<T*>(node.saved);
  SortedSegment<T, true> segment(closure.memory, static_cast<std::size_t>(vector.shape.capacity()),
                                 curvatures);
  const std::uint32_t* begin = detail::checked_offsets(tape, node, closure.count);
  const auto count = static_cast<std::size_t>(tape.size_of(closure.count));
  for (std::size_t i = 0; i < count; ++i) segment.loss(of, begin[i], begin[i + 1]);
  std::copy_n(curvatures, tape.size_of(node.shape), reinterpret_cast<T*>(node.value));
}

constexpr Kernels curvature_kernels = {{curvature_forward<float>}, {curvature_forward<double>}};
constexpr Kernels pairwise_kernels = {{pairwise_forward<float>, pairwise_backward<float>},
                                      {pairwise_forward<double>, pairwise_backward<double>}};

/// Records pairwise_logistic or, if `curved`, pairwise_curvature.
Tensor record_pairs(const char* op, bool curved, Tensor scores_of, Tensor order_of,
                    Segments segments, const PairWeights& weights) {
  Tape& tape = common_tape(
      op, std::array{scores_of, order_of, Tensor(*segments.offsets.tape, segments.offsets.node),
                     weights.gain.value_or(scores_of), weights.discount.value_or(scores_of),
                     weights.winner.value_or(scores_of), weights.loser.value_or(scores_of)});
  PairwiseClosure closure{.at = {}, .count = segments.count};
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
          fmt::format("{}: scores is {}, {} is {}; expected two vectors of the same length", op,
                      to_string(scores_of.shape()), name, to_string(tensor.shape())));
    // The backward kernel writes no gradient for these. Stopping them tells the tape to expect
    // none.
    const bool constant = curved || which == order || which == gain || which == discount;
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
  const auto most = static_cast<std::size_t>(scores_of.shape().capacity());
  closure.memory = tape.arena().allocate(tape.precision() == Precision::float32
                                             ? SortedSegment<float>::bytes(most)
                                             : SortedSegment<double>::bytes(most));
  const auto recorded =
      tape.record(op, NodeKind::real, curved ? scores_of.shape() : Shape::vector(segments.count),
                  curved ? &curvature_kernels : &pairwise_kernels, std::span(nodes).first(count));
  recorded.node.closure = tape.arena().create(closure);
  if (curved || recorded.node.requires_gradient)
    recorded.node.saved = tape.arena().allocate(receivers.size() * most * tape.element_bytes());
  return tape.tensor(recorded);
}

}  // namespace

Tensor pairwise_logistic(Tensor scores_of, Tensor order_of, Segments segments,
                         const PairWeights& weights) {
  return record_pairs("pairwise_logistic", false, scores_of, order_of, segments, weights);
}

Tensor pairwise_curvature(Tensor scores_of, Tensor order_of, Segments segments,
                          const PairWeights& weights) {
  return record_pairs("pairwise_curvature", true, scores_of, order_of, segments, weights);
}

}  // namespace ultr
