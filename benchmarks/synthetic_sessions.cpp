#include "synthetic_sessions.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <thread>

#include "data/log/parallel_shards.h"

namespace ultr::bench {
namespace {

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

/// A very cheap random number generator (SplitMix64; Steele et al., 2014). A session needs about a
/// hundred numbers, and there may be tens of millions of sessions.
class CheapRandom {
 public:
  explicit CheapRandom(std::uint64_t seed) : state_(seed) { state_ = bits(); }

  std::uint64_t bits() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
  /// Returns a nearly standard normal number: a scaled sum of four uniform numbers.
  double normal() {
    const std::uint64_t z = bits();
    const std::uint64_t sum = (z & 0xFFFF) + (z >> 16 & 0xFFFF) + (z >> 32 & 0xFFFF) + (z >> 48);
    return (static_cast<double>(sum) * 0x1p-16 - 2) * std::sqrt(3.0);
  }

 private:
  std::uint64_t state_;
};

/// The hidden properties of a query-document pair, a function of its row.
struct Pair {
  double attraction, satisfaction, score;  // logits; the score ranks the pair

  explicit Pair(std::uint32_t row) {
    CheapRandom random(row);
    const double quality = random.normal();
    attraction = -1 + 1.2 * quality;
    satisfaction = -0.5 + quality + 0.5 * random.normal();
    score = quality + 0.7 * random.normal();
  }
};

class Sessions {
 public:
  explicit Sessions(std::int64_t rows) : cumulative_(static_cast<std::size_t>(rows / candidates)) {
    double sum = 0;
    for (std::size_t q = 0; q < cumulative_.size(); ++q)
      cumulative_[q] = sum += 1 / static_cast<double>(q + 1);
    std::iota(positions_.begin(), positions_.end(), std::uint16_t{0});
  }

  /// Adds sessions `first` to `end` - 1 to a log.
  void add(std::size_t first, std::size_t end, SessionLog& log) const {
    std::array<std::uint32_t, list_length> rows;
    std::array<std::uint8_t, list_length> clicks;
    for (std::size_t session = first; session < end; ++session) {
      CheapRandom random(~session);
      const auto drawn = std::upper_bound(cumulative_.begin(), cumulative_.end() - 1,
                                          cumulative_.back() * random.uniform());
      const auto query = static_cast<std::uint64_t>(drawn - cumulative_.begin());
      show(query, random, rows);
      click(rows, random, clicks);
      log.add({rows, positions_, clicks, query});
    }
  }

 private:
  static void show(std::uint64_t query, CheapRandom& random, std::span<std::uint32_t> rows) {
    std::array<std::pair<double, std::uint32_t>, candidates> pool;
    for (std::size_t d = 0; d < pool.size(); ++d) {
      const auto row = static_cast<std::uint32_t>(query * candidates + d);
      pool[d] = {-(Pair(row).score + 0.5 * random.normal()), row};
    }
    std::partial_sort(pool.begin(), pool.begin() + list_length, pool.end());
    for (std::size_t k = 0; k < list_length; ++k) rows[k] = pool[k].second;
  }
  static void click(std::span<const std::uint32_t> rows, CheapRandom& random,
                    std::span<std::uint8_t> clicks) {
    bool examined = true;
    for (std::size_t k = 0; k < list_length; ++k) {
      const Pair pair(rows[k]);
      const bool clicked = examined && random.uniform() < sigmoid(pair.attraction);
      clicks[k] = clicked ? 1 : 0;
      if (clicked && random.uniform() < sigmoid(pair.satisfaction)) examined = false;
      if (random.uniform() >= 0.9) examined = false;
    }
  }

  std::vector<double> cumulative_;  // sums of queries' weights
  std::array<std::uint16_t, list_length> positions_;
};

}  // namespace

std::size_t synthetic_sessions(std::int64_t rows) {
  return std::max(std::size_t{1} << 21, static_cast<std::size_t>(rows / 5));
}

const SessionLog& synthetic_log(std::int64_t rows) {
  static std::int64_t kept_rows = 0;
  static SessionLog log;
  if (rows != kept_rows) {
    log = {};
    Sessions(rows).add(0, synthetic_sessions(rows), log);
    kept_rows = rows;
  }
  return log;
}

const std::vector<Shard>& synthetic_shards(std::int64_t rows) {
  static std::int64_t kept_rows = 0;
  static std::vector<Shard> shards;
  if (rows == kept_rows) return shards;
  shards = {};
  const Sessions sessions(rows);
  const std::size_t count = synthetic_sessions(rows);
  shards.resize((count + shard_sessions - 1) / shard_sessions);
  const auto threads = std::max(1u, std::thread::hardware_concurrency());
  for_each_worker(static_cast<int>(threads), [&](std::size_t worker) {
    for (std::size_t s = worker; s < shards.size(); s += threads) {
      const std::size_t first = s * shard_sessions;
      SessionLog log;
      sessions.add(first, std::min(first + shard_sessions, count), log);
      pack_shard(log, 0, shards[s]);
    }
  });
  kept_rows = rows;
  return shards;
}

}  // namespace ultr::bench
