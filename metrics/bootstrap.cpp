#include "metrics/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/quantile.h"

namespace ultr {

std::vector<std::uint8_t> draw_with_replacement(std::size_t items, RandomStream random) {
  std::vector<std::uint8_t> times(items);
  for (std::size_t i = 0; i < items; ++i)
    if (std::uint8_t& drawn = times[random.below(items)]; drawn < 255) ++drawn;
  return times;
}

std::vector<double> draw_by_weight(std::span<const double> weights, RandomStream random) {
  std::vector<double> ends(weights.begin(), weights.end()), times(weights.size());
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  for (auto left = static_cast<std::uint64_t>(std::llround(ends.back())); left > 0; --left) {
    const auto end = std::ranges::upper_bound(ends, random.uniform() * ends.back());
    ++times[std::min(static_cast<std::size_t>(end - ends.begin()), times.size() - 1)];
  }
  return times;
}

std::vector<double> draw_poisson(std::size_t items, RandomStream random) {
  constexpr double most = 20;
  std::vector<double> times(items);
  for (double& drawn : times) {
    double left = random.uniform(), share = std::exp(-1.0);
    for (; left >= share && drawn < most; share /= drawn) {
      left -= share;
      ++drawn;
    }
  }
  return times;
}

ConfidenceInterval percentile_interval(std::vector<double> values, double outside) {
  std::ranges::sort(values);
  return {quantile(values, outside), quantile(values, 1 - outside)};
}

}  // namespace ultr
