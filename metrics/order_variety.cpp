#include "metrics/order_variety.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>
#include <vector>

#include <tbb/parallel_sort.h>

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

/// Calls `take(begin, end)` for each range of equal keys of sorted items.
template <class Item, class Key, class Take>
void for_each_group(const std::vector<Item>& items, Key key, Take take) {
  for (auto begin = items.begin(); begin != items.end();) {
    const auto end = std::find_if(begin, items.end(),
                                  [&](const Item& item) { return key(item) != key(*begin); });
    take(begin, end);
    begin = end;
  }
}

/// Returns the number of times that each distinct item of a sorted range occurs.
template <class Iterator>
std::vector<double> counts(Iterator begin, Iterator end) {
  std::vector<double> each;
  for (auto at = begin; at != end; ++at)
    if (at == begin || *at != *std::prev(at))
      each.push_back(1);
    else
      ++each.back();
  return each;
}

double entropy_in_bits(const std::vector<double>& each, double all) {
  double nats = (static_cast<double>(each.size()) - 1) / (2 * all);
  for (const double count : each) nats -= count / all * std::log(count / all);
  return std::min(nats, std::log(all)) / std::numbers::ln2;
}

double mean(double sum, double weight) {
  return weight > 0 ? sum / weight : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

OrderVariety order_variety(const SessionLog& log) {
  OrderVariety variety;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> orders;    // query, hash
  std::vector<std::pair<std::uint32_t, std::uint16_t>> displays;  // row, position
  for (std::size_t s = 0; s < log.sessions(); ++s) {
    const SessionView session = log[s];
    orders.emplace_back(session.query, order_hash(session));
    for (std::size_t i = 0; i < session.rows.size(); ++i)
      if (session.rows[i] != 0) displays.emplace_back(session.rows[i], session.positions[i]);
  }
  tbb::parallel_sort(orders);
  tbb::parallel_sort(displays);

  const auto first = [](const auto& item) { return item.first; };
  double sum = 0, weight = 0;
  for_each_group(orders, first, [&](auto begin, auto end) {
    const auto sessions = static_cast<double>(end - begin);
    if (sessions < 2) return;
    double same = 0;
    for (const double count : counts(begin, end)) same += count * (count - 1);
    sum += same / (sessions - 1);  // the share of equal pairs, times the sessions
    weight += sessions;
    ++variety.repeated_queries;
  });
  variety.same_order = mean(sum, weight);

  sum = weight = 0;
  for_each_group(displays, first, [&](auto begin, auto end) {
    const auto impressions = static_cast<double>(end - begin);
    if (impressions < 2) return;
    sum += impressions * entropy_in_bits(counts(begin, end), impressions);
    weight += impressions;
    ++variety.repeated_pairs;
  });
  variety.rank_entropy = mean(sum, weight);
  return variety;
}

}  // namespace ultr
