#include "metrics/bias/order_variety.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <span>
#include <utility>
#include <vector>

#include <tbb/parallel_sort.h>

#include "data/log/pair_dictionary.h"
#include "data/log/pair_position_counts.h"
#include "data/log/pair_table.h"

namespace ultr {
namespace {

/// Hashes a list of documents at ranks. Different lists have different hashes, but for rare
/// collisions.
std::uint64_t order_hash(const SessionView& session) {
  std::uint64_t hash = session.rows.size();
  for (std::size_t i = 0; i < session.rows.size(); ++i)
    hash = PairTable::hash(hash ^ ((std::uint64_t{session.rows[i]} << 16) + session.positions[i]));
  return hash;
}

/// Returns the entropy of the positions of a pair, which is shown so often.
double entropy_in_bits(std::span<const PairPositionCounts::Cell> cells, double impressions) {
  double nats = (static_cast<double>(cells.size()) - 1) / (2 * impressions);
  for (const auto& cell : cells)
    nats -= cell.impressions / impressions * std::log(cell.impressions / impressions);
  return std::min(nats, std::log(impressions)) / std::numbers::ln2;
}

double mean(double sum, double weight) {
  return weight > 0 ? sum / weight : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

OrderVariety order_variety(const SessionLog& log, const PairPositionCounts& counts) {
  OrderVariety variety;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> orders;  // query, hash
  for (std::size_t s = 0; s < log.sessions(); ++s)
    orders.emplace_back(log[s].query, order_hash(log[s]));
  tbb::parallel_sort(orders);

  double sum = 0, weight = 0;
  for (auto begin = orders.begin(); begin != orders.end();) {
    double sessions = 0, same = 0;  // pairs of sessions with the same order, each counted twice
    const std::uint64_t query = begin->first;
    while (begin != orders.end() && begin->first == query) {
      const auto end =
          std::find_if(begin, orders.end(), [&](const auto& other) { return other != *begin; });
      const auto count = static_cast<double>(end - begin);
      sessions += count;
      same += count * (count - 1);
      begin = end;
    }
    if (sessions < 2) continue;
    sum += same / (sessions - 1);  // the share of equal pairs, times the sessions
    weight += sessions;
    ++variety.repeated_queries;
  }
  variety.same_order = mean(sum, weight);

  sum = weight = 0;
  for (std::size_t row = PairDictionary::unknown + 1; row < counts.rows(); ++row) {
    double impressions = 0;
    for (const auto& cell : counts.row(row)) impressions += cell.impressions;
    if (impressions < 2) continue;
    sum += impressions * entropy_in_bits(counts.row(row), impressions);
    weight += impressions;
    ++variety.repeated_pairs;
  }
  variety.rank_entropy = mean(sum, weight);
  return variety;
}

}  // namespace ultr
