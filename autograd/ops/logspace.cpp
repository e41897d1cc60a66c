#include "autograd/ops/logspace.h"

#include <algorithm>
#include <array>
#include <limits>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/elementwise.h"
#include "base/error.h"
#include "kernels/log_add.h"
#include "kernels/sigmoid_pair.h"

namespace ultr {
namespace {

/// y = e^x and w = 1 - e^x for x <= 0, both to full relative precision, from one exponential.
template <class P>
struct ExpAndComplement {
  P y, w;

  template <class T>
  explicit ExpAndComplement(const Pack<T>& x) {
    const Exponential<T> e(max(x, MathConstants<T>::smallest_exponent));
    y = e.value();
    // 1 - 2^k (1 + m) = (1 - 2^k) - 2^k m. Below x = -60 the result is 1, and k may be out of range
    // for power_of_two.
    const Pack<T> power = power_of_two<T>(e.k);
    w = where(x < Pack<T>(-60), 1, (1 - power) - power * e.m);
  }
  template <class T, std::size_t n>
  explicit ExpAndComplement(const PackGroup<T, n>& x) {
    for (std::size_t i = 0; i < n; ++i) {
      const ExpAndComplement<Pack<T>> of_pack(x.of[i]);
      y.of[i] = of_pack.y;
      w.of[i] = of_pack.w;
    }
  }
};
template <class P>
ExpAndComplement(P) -> ExpAndComplement<P>;

/// Returns x / w for x, w >= 0; 0 if w is 0, and at most the largest number, since an infinite
/// slope times a gradient of 0 would be NaN.
template <class P>
P finite_ratio(P x, P w) {
  constexpr auto most = std::numeric_limits<typename P::Scalar>::max();
  return where(w == 0, 0, min(x / w, most));
}

/// The common terms of 1 - σ(a)σ(b) and of the posteriors of a and b given "not both".
///
/// With X = e^-|a|: σ(a) = a1/(1+X) and σ(-a) = a0/(1+X), where one of a1 and a0 is 1 and the other
/// X; likewise for b with Y. Then 1 - σ(a)σ(b) = q / ((1+X)(1+Y)) with q = a1 b0 + a0 b1 + a0 b0, a
/// sum without cancellation. If a and b are both positive, q and every term with a factor a0 or b0
/// are scaled by e^min(a,b), so that float32 does not underflow at a = b = 700. `shift` is that
/// exponent, else 0.
template <class P>
struct NotBoth {
  P x, y, a1, b1, a0, b0, neither, q, shift;
  NotBoth(P a, P b) : x(exp(-abs(a))), y(exp(-abs(b))) {
    const auto scaled = (a > 0) & (b > 0);
    const P smaller = where(a < b, a, b), larger = where(a < b, b, a);
    const P apart = exp_of_difference(smaller, larger);
    a1 = where(a < 0, x, 1);
    b1 = where(b < 0, y, 1);
    a0 = where(scaled, where(a > b, apart, 1), where(a < 0, 1, x));
    b0 = where(scaled, where(b > a, apart, 1), where(b < 0, 1, y));
    neither = where(scaled, where(a < b, y, x), a0 * b0);
    q = a1 * b0 + a0 * b1 + neither;
    shift = where(scaled, smaller, 0);
  }
};

/// Records log Σ e^x of n terms.
template <std::size_t n>
Tensor logaddexp_of(std::span<const Tensor> terms) {
  std::array<Tensor, n> operands;
  std::copy_n(terms.begin(), n, operands.begin());
  return elementwise("logaddexp", operands, [](auto first, auto... rest) {
    using P = decltype(first);
    const std::array<P, n> x = {first, rest...};
    P largest = first;
    for (const P& term : x) largest = where(largest < term, term, largest);
    // The sum leaves out the largest term, which enters through log1p: adding its 1 first would
    // round the others away. Subtracting equal infinities would give NaN.
    std::array<P, n> power;
    P others(0), met(0);
    for (std::size_t i = 0; i < n; ++i) {
      const auto largest_here = x[i] == largest;
      power[i] = exp(where(largest_here, 0, x[i] - largest));
      others += where(largest_here & (met == 0), 0, power[i]);
      met = where(largest_here, 1, met);
    }
    const P value = largest + log1p(others);
    const P share = where(value == -HUGE_VAL, 0, 1 / (others + 1));
    for (P& term : power) term = term * share;
    return ValueAndSlopes<P, n>{value, power};
  });
}

}  // namespace

Tensor sigmoid(Tensor x) {
  return unary("sigmoid", x, [](auto v) {
    const SigmoidPair pair(v);
    return value_and_slopes(pair.yes, pair.yes * pair.no);
  });
}

Tensor sigmoid_from(double least, Tensor x, double sign) {
  return unary("sigmoid_from", x, [=](auto v) {
    const SigmoidPair pair(v * sign);
    const auto below = pair.yes < least;
    return value_and_slopes(where(below, least, pair.yes),
                            where(below, 0, sign * pair.yes * pair.no));
  });
}

Tensor log_sigmoid(Tensor x) {
  return unary("log_sigmoid", x, [](auto v) {
    const auto u = exp(-abs(v)), tail = log1p_of_unit(u);
    return value_and_slopes(min(v, 0) - tail, where(v < 0, 1, u) / (u + 1));
  });
}

Tensor log_one_minus_sigmoid(Tensor x) {
  return unary("log_one_minus_sigmoid", x, [](auto v) {
    const auto u = exp(-abs(v)), tail = log1p_of_unit(u);
    return value_and_slopes(-max(v, 0) - tail, -where(v < 0, u, 1) / (u + 1));
  });
}

Tensor softplus(Tensor x) {
  return unary("softplus", x, [](auto v) {
    const auto u = exp(-abs(v)), tail = log1p_of_unit(u);
    return value_and_slopes(max(v, 0) + tail, where(v < 0, u, 1) / (u + 1));
  });
}

Tensor softplus_inverse(Tensor x) {
  return unary("softplus_inverse", x, [](auto v) {
    const ExpAndComplement e(-v);
    return value_and_slopes(v + log_of_complement(e.y, e.w), finite_ratio(decltype(v)(1), e.w));
  });
}

Tensor log1mexp(Tensor x) {
  return unary("log1mexp", x, [](auto v) {
    const ExpAndComplement e(v);
    return value_and_slopes(log_of_complement(e.y, e.w), -finite_ratio(e.y, e.w));
  });
}

Tensor logaddexp(Tensor a, Tensor b) {
  return binary("logaddexp", a, b, [](auto x, auto y) {
    const LogAdd sum(x, y);
    return value_and_slopes(sum.value, sum.slope_of_x, sum.slope_of_y);
  });
}

Tensor logaddexp(std::span<const Tensor> terms) {
  if (terms.empty()) throw ShapeError("logaddexp: no terms; expected at least one");
  // Long lists are summed in groups of at most eight.
  Tensor sum = terms[0];
  for (terms = terms.subspan(1); !terms.empty();) {
    const auto add = [&](auto sum_of_some, std::size_t count) {
      std::array<Tensor, 8> some = {sum};
      std::copy_n(terms.begin(), count - 1, some.begin() + 1);
      sum = sum_of_some(std::span<const Tensor>(some).first(count));
      terms = terms.subspan(count - 1);
    };
    if (terms.size() >= 7)
      add(logaddexp_of<8>, 8);
    else if (terms.size() >= 3)
      add(logaddexp_of<4>, 4);
    else if (terms.size() == 2)
      add(logaddexp_of<3>, 3);
    else
      add([](auto two) { return logaddexp(two[0], two[1]); }, 2);
  }
  return sum;
}

Tensor logsubexp(Tensor a, Tensor b) {
  return binary("logsubexp", a, b, [](auto x, auto y) {
    const ExpAndComplement e(where(x == y, 0, y - x));
    return value_and_slopes(where(e.w == 0, -HUGE_VAL, x + log_of_complement(e.y, e.w)),
                            finite_ratio(decltype(x)(1), e.w), -finite_ratio(e.y, e.w));
  });
}

Tensor logit_of_log_prob(Tensor x) {
  return unary("logit_of_log_prob", x, [](auto v) {
    const ExpAndComplement e(v);
    return value_and_slopes(v - log_of_complement(e.y, e.w), finite_ratio(decltype(v)(1), e.w));
  });
}

Tensor log_not_both(Tensor a, Tensor b) {
  return binary("log_not_both", a, b, [](auto x, auto y) {
    const NotBoth n(x, y);
    const auto scale = (n.x + 1) * (n.y + 1);
    const auto both = where(n.shift > 0, 1, n.a1 * n.b1 / scale);
    const auto common = n.a1 * n.b1 / n.q;
    return value_and_slopes(log_of_complement(both, n.q / scale) - n.shift,
                            -common * n.a0 / (n.x + 1), -common * n.b0 / (n.y + 1));
  });
}

Tensor posterior_examination(Tensor a, Tensor b) {
  return binary("posterior_examination", a, b, [](auto x, auto y) {
    const NotBoth n(x, y);
    const auto yes = n.a1 * n.b0 / n.q, no = (n.a0 * n.b1 + n.neither) / n.q;
    return value_and_slopes(yes, yes * no, -yes * no * n.b1 / (n.y + 1));
  });
}

Tensor sigmoid_cross_entropy(Tensor logits, Tensor targets) {
  return binary("sigmoid_cross_entropy", logits, targets, [](auto x, auto y) {
    const SigmoidPair pair(x);
    const auto other = 1 - y;
    // The linear part is a product, not a difference, so that nothing cancels for targets 0 and 1.
    const auto whole = where(x < 0, -y * x, other * x);
    return value_and_slopes(whole + log1p_of_unit(pair.u), other * pair.yes - y * pair.no, -x);
  });
}

Tensor posterior_cross_entropy(Tensor x, Tensor a, Tensor b) {
  return elementwise("posterior_cross_entropy", std::array{x, stop_gradient(a), stop_gradient(b)},
                     [](auto v, auto held, auto other) {
                       const NotBoth n(held, other);
                       const auto yes = n.a1 * n.b0 / n.q, no = (n.a0 * n.b1 + n.neither) / n.q;
                       const SigmoidPair now(v), before(held);
                       const auto value = where(v < 0, -yes * v, no * v) + log1p_of_unit(now.u);
                       // σ(held) - yes, as a product: the difference would cancel.
                       const auto gap = n.a1 * n.b1 / n.q * n.a0 / (n.x + 1);
                       return value_and_slopes(value, now.yes - before.yes + gap, 0, 0);
                     });
}

}  // namespace ultr
