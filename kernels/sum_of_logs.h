#pragma once

#include <algorithm>
#include <limits>
#include <numbers>
#include <span>
#include <vector>

#include "kernels/vector_math.h"

namespace ultr {

/// A product of normal numbers, whose mantissas are multiplied and whose exponents are added. The
/// mantissas, from sqrt(1/2) to sqrt(2), stay in range for a thousand factors.
struct ScaledProduct {
  Pack<double> mantissas{1}, exponents{0};

  void multiply(Pack<double> x) {
    const Logarithm<double> reduced(x);
    mantissas = mantissas * (reduced.f + 1);
    exponents += reduced.k;
  }
  double log() const { return sum(ultr::log(mantissas)) + sum(exponents) * std::numbers::ln2; }
};

/// Returns the sum of the natural logarithms of numbers: -inf if one is 0, NaN if one is negative
/// or NaN. It is the logarithm of their product: hundreds of numbers need one logarithm, and few
/// results are rounded.
inline double sum_of_logs(std::span<const double> x) {
  using P = Pack<double>;
  constexpr std::size_t factors = 8 * P::size, most_factors = 1000 * factors;
  const auto is_between = [](P y, double least, double most) {
    return (y >= P(least)) & (y <= P(most));
  };
  const auto first_of = [](std::span<const double>& left, std::size_t count) {
    const auto first = left.first(std::min(left.size(), count));
    left = left.subspan(first.size());
    return first;
  };
  const auto for_each = [](std::span<const double> part, auto visit) {
    for_each_pack<double>(part.size(), [&](std::size_t i, auto... count) {
      const P here = P::load(part.data() + i, count...);
      if constexpr (sizeof...(count) == 0)
        visit(here);
      else
        visit(where(first_lanes<double>(count...), here, 1.0));
    });
  };
  double total = 0;
  for (std::span<const double> left = x; !left.empty();) {
    ScaledProduct product;
    for (auto part = first_of(left, most_factors); !part.empty();) {
      const auto eight = first_of(part, factors);
      // The product of eight numbers from 2^-127 to 2^127 is in range.
      P plain(1);
      Lanes<double> moderate = plain == plain;
      for_each(eight, [&](P y) {
        plain = plain * y;
        moderate = moderate & is_between(y, 0x1p-127, 0x1p127);
      });
      if (sum(where(moderate, 0.0, 1.0)) == 0) {
        product.multiply(plain);
        continue;
      }
      ScaledProduct scaled;
      P others(0);
      for_each(eight, [&](P y) {
        const auto normal =
            is_between(y, std::numeric_limits<double>::min(), std::numeric_limits<double>::max());
        scaled.multiply(where(normal, y, 1.0));
        others += log(where(normal, 1.0, y));
      });
      product.multiply(scaled.mantissas);
      product.exponents += scaled.exponents;
      total += sum(others);
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
