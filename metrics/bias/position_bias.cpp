#include "metrics/bias/position_bias.h"

#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "base/error.h"

namespace ultr {
namespace {

constexpr double unknown_ratio = std::numeric_limits<double>::quiet_NaN();

/// Returns a / b, or NaN if b is not positive.
double ratio(double a, double b) { return b > 0 ? a / b : unknown_ratio; }

/// Divides by the first value; the results are unknown if it is not positive.
Propensities relative_to_first(Propensities values) {
  const double first = values.empty() ? unknown_ratio : values.front();
  for (double& value : values) value = ratio(value, first);
  return values;
}

constexpr BiasMethod method_table[] = {
    {"ctr", "click rates; assumes the same relevance at all positions", false,
     [](const InterventionSums& sums, std::size_t) { return relative_click_rates(sums); }},
    {"adjacent_chain", "pairs shown at k and k+1, chained from the top", true,
     [](const InterventionSums& sums, std::size_t) { return adjacent_chain(sums); }},
    {"pivot", "pairs shown at k and at one pivot position", true, pivot_rank},
    {"all_pairs", "pairs shown at any two positions, by weighted likelihood", true,
     [](const InterventionSums& sums, std::size_t) { return all_pairs(sums); }},
};

}  // namespace

Propensities relative_click_rates(const InterventionSums& sums) {
  Propensities rates;
  for (std::size_t k = 0; k < sums.positions; ++k)
    rates.push_back(ratio(sums.clicks[k], sums.impressions[k]));
  return relative_to_first(std::move(rates));
}

Propensities adjacent_chain(const InterventionSums& sums) {
  Propensities chain(sums.positions, unknown_ratio);
  if (sums.positions < 2 || sums.click_rates(0, 1) == 0) return chain;
  chain[0] = 1;
  for (std::size_t k = 1; k < sums.positions && chain[k - 1] > 0; ++k)
    chain[k] = chain[k - 1] * ratio(sums.click_rates(k, k - 1), sums.click_rates(k - 1, k));
  return chain;
}

Propensities pivot_rank(const InterventionSums& sums, std::size_t pivot) {
  if (pivot >= sums.positions)
    throw Error(fmt::format("the pivot is rank {}; expected one of the log's {} ranks", pivot + 1,
                            sums.positions));
  Propensities relative(sums.positions, unknown_ratio);
  bool clicked = false;
  for (std::size_t k = 0; k < sums.positions; ++k) {
    if (k == pivot) continue;
    relative[k] = ratio(sums.click_rates(k, pivot), sums.click_rates(pivot, k));
    clicked |= sums.click_rates(pivot, k) > 0;
  }
  if (clicked) relative[pivot] = 1;
  return relative_to_first(std::move(relative));
}

std::span<const BiasMethod> bias_methods() { return method_table; }

}  // namespace ultr
