#include "synthetic_sessions.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "experiment/parallel_shards.h"

namespace ultr::bench {
namespace {

constexpr std::size_t sessions = std::size_t{1} << 21;

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

/// What is known of each pair.
struct Pairs {
  std::vector<float> attraction, satisfaction, score;

  Pairs(std::int64_t rows, std::mt19937_64& random) {
    std::normal_distribution<double> normal;
    for (std::int64_t i = 0; i < rows; ++i) {
      const double quality = normal(random);
      attraction.push_back(static_cast<float>(sigmoid(-1 + 1.2 * quality)));
      satisfaction.push_back(static_cast<float>(sigmoid(-0.5 + quality + 0.5 * normal(random))));
      score.push_back(static_cast<float>(quality + 0.7 * normal(random)));
    }
  }
};

SessionLog make_log(std::int64_t rows) {
  std::mt19937_64 random(1);
  const Pairs pairs(rows, random);
  const std::int64_t queries = rows / candidates;
  std::vector<double> cumulative(static_cast<std::size_t>(queries));
  double sum = 0;
  for (std::size_t q = 0; q < cumulative.size(); ++q)
    cumulative[q] = sum += 1 / static_cast<double>(q + 1);

  std::uniform_real_distribution<double> uniform;
  std::normal_distribution<float> normal;
  std::vector<std::uint16_t> positions(list_length);
  std::iota(positions.begin(), positions.end(), std::uint16_t{0});
  std::vector<std::uint32_t> list(list_length);
  std::vector<std::uint8_t> clicks(list_length);
  SessionLog log;
  for (std::size_t i = 0; i < sessions; ++i) {
    const auto drawn =
        std::lower_bound(cumulative.begin(), cumulative.end(), sum * uniform(random));
    const std::int64_t query = std::min<std::int64_t>(drawn - cumulative.begin(), queries - 1);
    std::pair<float, std::uint32_t> pool[candidates];
    for (std::int64_t d = 0; d < candidates; ++d) {
      const auto row = static_cast<std::uint32_t>(query * candidates + d);
      pool[d] = {-(pairs.score[row] + 0.5f * normal(random)), row};
    }
    std::partial_sort(pool, pool + list_length, pool + candidates);
    bool examined = true;
    for (std::size_t k = 0; k < list_length; ++k) {
      const std::uint32_t row = list[k] = pool[k].second;
      clicks[k] = examined && uniform(random) < pairs.attraction[row] ? 1 : 0;
      if (clicks[k] != 0 && uniform(random) < pairs.satisfaction[row]) examined = false;
      if (uniform(random) >= 0.9) examined = false;
    }
    log.add({list, positions, clicks});
  }
  return log;
}

struct Synthetic {
  std::int64_t rows = 0;
  SessionLog log;
  std::vector<Shard> shards;
};

/// One set is kept: the largest takes half a gigabyte.
const Synthetic& synthetic(std::int64_t rows) {
  static Synthetic kept;
  if (kept.rows == rows) return kept;
  kept = {.rows = rows, .log = make_log(rows), .shards = {}};
  kept.shards.resize(count_shards(kept.log));
  for (std::size_t s = 0; s < kept.shards.size(); ++s) pack_shard(kept.log, s, kept.shards[s]);
  return kept;
}

}  // namespace

const SessionLog& synthetic_log(std::int64_t rows) { return synthetic(rows).log; }
const std::vector<Shard>& synthetic_shards(std::int64_t rows) { return synthetic(rows).shards; }

}  // namespace ultr::bench
