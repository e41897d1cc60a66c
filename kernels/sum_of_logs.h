#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <span>
#include <vector>

#include "kernels/vector_math.h"

namespace ultr {

/// A product of numbers in the making. Each lane is m 2^k, where each factor contributes a number
/// from sqrt(1/2) to sqrt(2) to m, which stays in range for a thousand of them.
class ScaledProduct {
 public:
  /// Multiplies by normal numbers.
  void multiply(Pack<double> x) {
    const Logarithm<double> reduced(x);
    mantissas_ = mantissas_ * (reduced.f + 1);
    exponents_ += reduced.k;
  }
  void multiply(const ScaledProduct& other) {
    multiply(other.mantissas_);
    exponents_ += other.exponents_;
  }
  /// Returns the natural logarithm of the product of all lanes.
  double log() const { return sum(ultr::log(mantissas_)) + sum(exponents_) * std::numbers::ln2; }

 private:
  Pack<double> mantissas_{1}, exponents_{0};
};

namespace detail {

/// The numbers whose product is formed before its exponents are taken apart.
inline constexpr std::size_t plain_factors = 8 * Pack<double>::size;

/// Multiplies by up to `plain_factors` numbers, and counts as one factor in each lane. Returns the
/// sum of the logarithms of those that are not normal, which are left out: NaN if one is above
/// `most`.
inline double multiply_by(std::span<const double> x, double most, ScaledProduct& product) {
  using P = Pack<double>;
  const auto for_each = [x](auto visit) {
    for_each_pack<double>(x.size(), [&](std::size_t i, auto... count) {
      const P here = P::load(x.data() + i, count...);
      if constexpr (sizeof...(count) == 0)
        visit(here);
      else
        visit(where(first_lanes<double>(count...), here, 1.0));
    });
  };
  // The product of eight numbers from 2^-127 to 2^127 is normal.
  P plain(1);
  Lanes<double> moderate = plain == plain;
  for_each([&](P y) {
    plain = plain * y;
    moderate = moderate & is_between(y, 0x1p-127, std::min(most, 0x1p127));
  });
  if (all_true(moderate)) {
    product.multiply(plain);
    return 0;
  }
  ScaledProduct scaled;
  P others(0);
  for_each([&](P y) {
    using Range = std::numeric_limits<double>;
    const auto normal = is_between(y, Range::min(), std::min(most, Range::max()));
    scaled.multiply(where(normal, y, 1.0));
    others += where(y > P(most), Range::quiet_NaN(), log(where(normal, 1.0, y)));
  });
  product.multiply(scaled);
  return sum(others);
}

}  // namespace detail

/// Returns the sum of the natural logarithms of numbers from 0 to `most`: -inf if one is 0, NaN if
/// one is no such number. It is the logarithm of their product: hundreds of numbers need one
/// logarithm, and few results are rounded.
inline double sum_of_logs(std::span<const double> x, double most = HUGE_VAL) {
  constexpr std::size_t most_factors = 1000;
  double total = 0;
  while (!x.empty()) {
    ScaledProduct product;
    for (std::size_t factor = 0; factor < most_factors && !x.empty(); ++factor) {
      const auto some = x.first(std::min(x.size(), detail::plain_factors));
      total += detail::multiply_by(some, most, product);
      x = x.subspan(some.size());
    }
    total += product.log();
  }
  return total;
}

/// Writes the natural logarithms of numbers.
inline void write_logs(std::span<const double> x, std::vector<double>& logs) {
  logs.resize(x.size());
  for_each_pack<double>(x.size(), [&](std::size_t i, auto... count) {
    log(Pack<double>::load(x.data() + i, count...)).store(logs.data() + i, count...);
  });
}

}  // namespace ultr
