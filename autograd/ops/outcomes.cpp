#include "autograd/ops/outcomes.h"

#include <algorithm>
#include <array>
#include <limits>

#include <fmt/core.h>

#include "autograd/ops/elementwise.h"
#include "base/error.h"

namespace ultr {
namespace {

/// The value of log_outcome and its slope: those of log σ(x) or log σ(-x).
template <class P>
struct LogOutcome {
  static constexpr std::size_t logits = 1;
  /// Packs that are computed side by side.
  static constexpr std::size_t packs = detail::packs_in_group;
  std::array<P, logits> slopes;

  template <class Truths>
  LogOutcome(const Truths& happened, const P& x) {
    const P seen = where(happened, x, -x), u = exp(-abs(seen));
    const P slope = where(seen < P(0), 1, u) / (u + 1);
    slopes = {where(happened, slope, -slope)};
    value_ = min(seen, 0) - log1p_of_unit(u);
  }
  P value() const { return value_; }

 private:
  P value_;
};

/// The value of log_both and its slopes for a and b.
///
/// With x = e^-|a|: σ(a) = a1/(1+x) and σ(-a) = a0/(1+x), where one of a1 and a0 is 1 and the other
/// x; likewise for b with y. Then σ(a)σ(b) = a1 b1 / scale and 1 - σ(a)σ(b) = q / scale, where
/// scale is (1+x)(1+y) and q = a1 b0 + a0 b1 + a0 b0, a sum without cancellation. One logarithm
/// serves both outcomes: log(σ(a)σ(b)) = min(a, 0) + min(b, 0) - log(scale), whose first terms keep
/// small probabilities exact.
template <class P>
struct LogBoth {
  static constexpr std::size_t logits = 2;
  /// With more packs, most numbers of this formula would not stay in registers.
  static constexpr std::size_t packs = 2;
  std::array<P, logits> slopes;

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
    slopes = {odds * (a0 * share * (y + 1)), odds * (b0 * share * (x + 1))};
    complement_ = share * where(both, sum, product);
    outcome_ = share * where(both, 1, q);
    outside_ = where(both, min(a, 0) + min(b, 0), 0);
  }
  /// Takes a logarithm: to be called last, when no other numbers are needed any more.
  P value() const { return log_of_complement(complement_, outcome_) + outside_; }

 private:
  P complement_, outcome_, outside_;
};

/// The broadcasting of the logits, which are inputs 1 and following. Input 0 is the mask.
template <std::size_t n>
struct OutcomeClosure {
  std::array<Broadcast, n> kinds;
};

template <class T, template <class P> class Formula>
[[gnu::flatten]] void outcome_forward(Tape& tape, Node& node) {
  using F = Formula<Pack<T>>;
  const auto& closure = *static_cast<const OutcomeClosure<F::logits>*>(node.closure);
  const auto n = static_cast<std::size_t>(tape.size_of(node.shape));
  const auto capacity = static_cast<std::size_t>(node.shape.capacity());
  const auto* mask = reinterpret_cast<const std::uint8_t*>(tape.input_of(node, 0).value);
  auto operands = detail::operands_of<T>(tape, node, 1, closure.kinds, n);
  const auto rows = detail::rows_of(operands, 0);
  T* const value = reinterpret_cast<T*>(node.value);
  T* const saved = reinterpret_cast<T*>(node.saved);
  RowPrefetcher prefetcher = tape.row_prefetcher();
  for_each_pack_group<T, F::packs>(
      n, [=, &prefetcher]<class P>(std::type_identity<P> type, std::size_t i, auto... lanes) {
        // log_both computes about as long as two other ops that prefetch.
        prefetcher.prefetch(P::size * F::logits / 2);
        [&]<std::size_t... k>(std::index_sequence<k...>) {
          const Formula<P> result(load_mask_of(type, mask + i, lanes...),
                                  rows[k].template load<P>(i, lanes...)...);
          if (saved != nullptr) (result.slopes[k].store(saved + k * capacity + i, lanes...), ...);
          result.value().store(value + i, lanes...);
        }(std::make_index_sequence<F::logits>());
      });
  tape.row_prefetcher() = prefetcher;
}

template <class T, template <class P> class Formula>
void outcome_backward(Tape& tape, Node& node) {
  constexpr std::size_t logits = Formula<Pack<T>>::logits;
  const auto& closure = *static_cast<const OutcomeClosure<logits>*>(node.closure);
  const auto n = static_cast<std::size_t>(tape.size_of(node.shape));
  const T* const gradient = reinterpret_cast<const T*>(node.gradient);
  const T* slopes = reinterpret_cast<const T*>(node.saved);
  for (std::size_t k = 0; k < logits; ++k, slopes += node.shape.capacity())
    if (const auto target = tape.gradient_target<T>(node, k + 1))
      detail::add_gradient(target, closure.kinds[k], 1, n, [=](std::size_t) {
        return [=](std::size_t i, auto... lanes) {
          return Pack<T>::load(gradient + i, lanes...) * Pack<T>::load(slopes + i, lanes...);
        };
      });
}

template <template <class P> class Formula>
constexpr Kernels outcome_kernels = {
    {outcome_forward<float, Formula>, outcome_backward<float, Formula>, demand_same_rows},
    {outcome_forward<double, Formula>, outcome_backward<double, Formula>, demand_same_rows}};

template <template <class P> class Formula, class... Logits>
Tensor record_outcome(const char* op, Mask happened, Logits... logits) {
  constexpr std::size_t n = sizeof...(logits);
  Tape& tape = common_tape(op, std::array{Tensor(*happened.tape, happened.node), logits...});
  const Shape shape = tape.node(happened.node).shape;
  const auto kind_of = [&](Tensor x) {
    if (x.shape() == shape) return Broadcast::none;
    if (x.shape().single()) return Broadcast::scalar;
    throw ShapeError(
        fmt::format("{}: the outcomes are {}, a logit is {}; expected the same length or a scalar",
                    op, to_string(shape), to_string(x.shape())));
  };
  const OutcomeClosure<n> closure{{kind_of(logits)...}};
  const auto recorded = tape.record(op, NodeKind::real, shape, &outcome_kernels<Formula>,
                                    std::array{happened.node, logits.node()...});
  recorded.node.closure = tape.arena().create(closure);
  if (recorded.node.requires_gradient)
    recorded.node.saved = tape.arena().allocate(n * static_cast<std::size_t>(shape.capacity()) *
                                                tape.element_bytes());
  return tape.tensor(recorded);
}

}  // namespace

Tensor log_outcome(Mask happened, Tensor x) {
  return record_outcome<LogOutcome>("log_outcome", happened, x);
}

Tensor log_both(Mask both, Tensor a, Tensor b) {
  return record_outcome<LogBoth>("log_both", both, a, b);
}

}  // namespace ultr
