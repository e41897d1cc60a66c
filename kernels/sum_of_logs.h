#pragma once

#include <algorithm>
#include <limits>
#include <numbers>
#include <span>
#include <vector>

#include "kernels/vector_math.h"

namespace ultr {

/// Returns the sum of the natural logarithms of numbers: -inf if one is 0, NaN if one is negative
/// or NaN. It is the logarithm of their product, whose mantissas are multiplied and whose exponents
/// are added: hundreds of numbers need one logarithm, and few results are rounded.
inline double sum_of_logs(std::span<const double> x) {
  using P = Pack<double>;
  const auto is_normal = [](P y) {
    return (y >= P(std::numeric_limits<double>::min())) & (y < P(HUGE_VAL));
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
  constexpr std::size_t most = 1024 * P::size;  // mantissas from sqrt(1/2) to sqrt(2) in a product
  double total = 0;
  for (std::span<const double> left = x; !left.empty();) {
    const auto part = left.first(std::min(left.size(), most));
    left = left.subspan(part.size());
    P mantissas(1), exponents(0);
    Lanes<double> all_normal = mantissas == mantissas;
    for_each(part, [&](P y) {
      const auto normal = is_normal(y);
      all_normal = all_normal & normal;
      const Logarithm<double> reduced(where(normal, y, 1.0));
      mantissas = mantissas * (reduced.f + 1);
      exponents += reduced.k;
    });
    total += sum(log(mantissas)) + sum(exponents) * std::numbers::ln2;
    if (sum(where(all_normal, 0.0, 1.0)) == 0) continue;
    P others(0);
    for_each(part, [&](P y) { others += log(where(is_normal(y), 1.0, y)); });
    total += sum(others);
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
