#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <string>

/// Scalar counterparts of the kernels, from the C library's functions.
namespace ultr::testing {

using Exact = long double;

/// Maps two numbers into the domain of a function.
using Domain = std::function<std::array<double, 2>(double a, double b)>;

/// A scalar counterpart of a kernel, and how near the kernel must come.
struct Reference {
  std::function<Exact(Exact a, Exact b)> exact;
  double ulps32, ulps64;
  Domain domain = [](double a, double b) { return std::array{a, b}; };
  /// Size of the numbers that cancel where the function crosses zero: that many ulps are allowed.
  std::function<Exact(Exact a, Exact b)> cancelling = [](Exact, Exact) { return Exact(0); };
};

inline Exact log_sigmoid(Exact x) {
  return std::min<Exact>(x, 0) - std::log1p(std::exp(-std::abs(x)));
}
inline Exact sigmoid(Exact x) {
  return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x));
}
/// Returns log(1 - e^x) for x <= 0.
inline Exact log1mexp(Exact x) {
  return x > -0.6931L ? std::log(-std::expm1(x)) : std::log1p(-std::exp(x));
}
inline Exact log_not_both(Exact a, Exact b) {
  const Exact both = std::exp(log_sigmoid(a) + log_sigmoid(b));
  if (both < 0.5L) return std::log1p(-both);
  const Exact x = std::exp(-a), y = std::exp(-b);  // a and b are positive
  return std::log(x + y + x * y) - std::log1p(x) - std::log1p(y);
}
/// Returns e^(a-b) for a difference that long double may have to round.
inline Exact exp_of_difference(Exact a, Exact b) {
  const Exact difference = a - b, rounded = a - difference;
  const Exact lost = (a - (difference + rounded)) + (rounded - b);
  return std::exp(difference) * (1 + lost);
}
inline Exact larger(Exact a, Exact b) { return std::max(std::abs(a), std::abs(b)); }

/// Wraps numbers of any size into (-bound, bound), keeping small ones.
inline double within(double x, double bound) {
  return std::abs(x) < bound ? x : std::fmod(x, bound);
}

/// Returns the references of kernels that round, by name.
inline std::map<std::string, Reference> references() {
  using E = Exact;
  const auto ordinary = [](double a, double b) {
    return std::array{within(a, 700), within(b, 700)};
  };
  const auto unit = [](double a, double) {
    const double x = std::abs(within(a, 1));
    return std::array{x, 0.0};
  };
  const auto not_positive = [](double a, double) { return std::array{-std::abs(a), 0.0}; };
  const auto positive = [](double a, double) { return std::array{std::abs(a), 0.0}; };
  const auto one = [](E, E) { return E(1); };
  const auto moderate = [](double a, double b) { return std::array{within(a, 80), within(b, 80)}; };
  return {
      {"exp", {[](E x, E) { return std::exp(x); }, 1.2, 1.2}},
      {"exp_of_difference", {exp_of_difference, 2, 2, ordinary}},
      {"expm1", {[](E x, E) { return std::expm1(x); }, 2, 2}},
      {"log", {[](E x, E) { return std::log(x); }, 1, 1}},
      {"log1p", {[](E x, E) { return std::log1p(x); }, 1.5, 1.5}},
      {"log1p_of_unit", {[](E x, E) { return std::log1p(x); }, 1.5, 1.5, unit}},
      {"log_of_complement",
       {[](E y, E w) { return y < 0.5L ? std::log1p(-y) : std::log(w); }, 2.5, 2.5,
        [](double a, double) {
          const double x = std::abs(within(a, 1));
          return a < 0 ? std::array{1 - x, x} : std::array{x, 1 - x};
        }}},
      {"tanh", {[](E x, E) { return std::tanh(x); }, 3, 3}},
      {"sigmoid", {[](E x, E) { return sigmoid(x); }, 8, 4}},
      {"log_sigmoid", {[](E x, E) { return log_sigmoid(x); }, 8, 4}},
      {"log_one_minus_sigmoid", {[](E x, E) { return log_sigmoid(-x); }, 8, 4}},
      {"softplus", {[](E x, E) { return -log_sigmoid(-x); }, 8, 4}},
      {"softplus_inverse", {[](E x, E) { return x + log1mexp(-x); }, 8, 4, positive, one}},
      {"log1mexp", {[](E x, E) { return log1mexp(x); }, 8, 4, not_positive}},
      {"logit_of_log_prob",
       {[](E x, E) { return x - log1mexp(x); }, 8, 4,
        [](double a, double) {
          return std::array{-std::abs(a == 0 ? 1 : a), 0.0};
        },
        one}},
      {"logaddexp",
       {[](E a, E b) { return std::max(a, b) + std::log1p(std::exp(-std::abs(a - b))); }, 8, 4,
        ordinary, larger}},
      {"logsubexp",
       {[](E a, E b) { return a == b ? -HUGE_VALL : a + log1mexp(b - a); }, 8, 4,
        [ordinary](double a, double b) {
          const auto [x, y] = ordinary(a, b);
          return std::array{std::max(x, y), std::min(x, y)};
        },
        larger}},
      {"sigmoid_from", {[](E x, E) { return std::max<E>(0.25L, sigmoid(-x)); }, 8, 4}},
      {"log_outcome", {[](E a, E b) { return log_sigmoid(a > b ? a : -a); }, 8, 4, ordinary}},
      {"log_both",
       {[](E a, E b) { return a > b ? log_sigmoid(a) + log_sigmoid(b) : log_not_both(a, b); }, 8, 8,
        moderate}},
      {"log_not_both", {log_not_both, 8, 8, ordinary}},  // a rounded sum counts double near 0.6
      {"posterior_examination",
       {[](E a, E b) { return sigmoid(a + log_sigmoid(-b)); }, 8, 4, ordinary}},
      {"sigmoid_cross_entropy",
       {[](E x, E y) {
          return (x < 0 ? -y * x : (1 - y) * x) + std::log1p(std::exp(-std::abs(x)));
        },
        8, 4,
        [](double a, double b) {
          return std::array{within(a, 700), std::abs(within(b, 1))};
        }}},
      {"elu", {[](E x, E) { return x > 0 ? x : std::expm1(x); }, 8, 4}},
  };
}

/// A scalar counterpart of a kernel that rounds as the C library does, or not at all, so that bits
/// are promised.
template <class T>
using Scalar = std::function<T(T a, T b)>;
template <class T>
std::map<std::string, Scalar<T>> exact_functions() {
  return {
      {"sqrt", [](T a, T) { return std::sqrt(a); }},
      {"abs", [](T a, T) { return std::abs(a); }},
      {"min", [](T a, T b) { return b < a ? b : a; }},
      {"max", [](T a, T b) { return a < b ? b : a; }},
      {"with_sign_of", [](T a, T b) { return std::copysign(a, b); }},
      {"where", [](T a, T b) { return a < b || !(b <= a) ? a + 1 : b; }},
      {"load_mask", [](T a, T b) { return b > 0 ? a : 0; }},
      {"relu", [](T a, T) { return a < 0 ? 0 : a; }},
  };
}

}  // namespace ultr::testing
