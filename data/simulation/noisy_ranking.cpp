#include "data/simulation/noisy_ranking.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "base/random.h"

namespace ultr {
namespace {

/// Returns the cumulative probabilities of Zipf's law over n queries: P(query i) ∝ i^-exponent.
std::vector<double> zipf_cumulative(std::int64_t n, double exponent) {
  std::vector<double> cumulative;
  double sum = 0;
  for (std::int64_t i = 1; i <= n; ++i)
    cumulative.push_back(sum += std::pow(static_cast<double>(i), -exponent));
  for (double& c : cumulative) c /= sum;
  return cumulative;
}

}  // namespace

DrawList NoisyRanking::lists(std::uint64_t seed) const {
  return [ranking = *this, seed, cumulative = zipf_cumulative(queries, zipf)](
             std::uint64_t session, std::vector<std::uint32_t>& rows) {
    RandomStream random(seed, RandomPurpose::simulation, 0, session);
    const auto drawn = std::lower_bound(cumulative.begin(), cumulative.end(), random.uniform());
    const auto query = std::min<std::int64_t>(drawn - cumulative.begin(), ranking.queries - 1);
    std::vector<std::pair<double, std::uint32_t>> pool;
    for (std::int64_t d = 0; d < ranking.candidates; ++d) {
      const std::int64_t row = query * ranking.candidates + d + 1;
      pool.emplace_back(-(ranking.quality(row) + ranking.noise * random.normal()), row);
    }
    const auto end_of_shown = pool.begin() + static_cast<std::ptrdiff_t>(ranking.shown);
    std::partial_sort(pool.begin(), end_of_shown, pool.end());
    rows.clear();
    for (auto at = pool.begin(); at != end_of_shown; ++at) rows.push_back(at->second);
    return static_cast<std::uint64_t>(query + 1);
  };
}

}  // namespace ultr
