#include "metrics/policies/ranked_lists.h"

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "data/log/pair_dictionary.h"

namespace ultr {
namespace {

/// The documents of a query, best first, and the positions that they get, first to last.
struct Ranking {
  std::vector<std::uint32_t> rows{};
  std::vector<std::uint16_t> positions{};

  /// Returns the document at a position, or `otherwise` if there is none.
  std::uint32_t at(std::uint16_t position, std::uint32_t otherwise) const {
    const auto found = std::ranges::lower_bound(positions, position);
    const auto rank = static_cast<std::size_t>(found - positions.begin());
    const bool there = found != positions.end() && *found == position && rank < rows.size();
    return there ? rows[rank] : otherwise;
  }
};

template <class T>
void keep_one_of_each(std::vector<T>& values) {
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

}  // namespace

SessionLog ranked_lists(const SessionLog& log, const SessionLog& lists,
                        std::span<const double> scores) {
  std::unordered_map<std::uint64_t, Ranking> rankings;
  for (std::size_t i = 0; i < log.sessions(); ++i) {
    const SessionView list = log[i];
    Ranking& of_query = rankings[list.query];
    of_query.rows.insert(of_query.rows.end(), list.rows.begin(), list.rows.end());
    of_query.positions.insert(of_query.positions.end(), list.positions.begin(),
                              list.positions.end());
  }
  for (auto& [query, ranking] : rankings) {
    std::erase(ranking.rows, PairDictionary::unknown);
    keep_one_of_each(ranking.rows);
    keep_one_of_each(ranking.positions);
    std::ranges::stable_sort(
        ranking.rows, [&](std::uint32_t a, std::uint32_t b) { return scores[a] > scores[b]; });
  }
  SessionLog shown;
  std::vector<std::uint32_t> rows;
  std::vector<std::uint8_t> clicks;
  for (std::size_t i = 0; i < lists.sessions(); ++i) {
    const SessionView list = lists[i];
    rows.assign(list.rows.begin(), list.rows.end());
    clicks.assign(rows.size(), 0);
    if (const auto found = rankings.find(list.query); found != rankings.end())
      for (std::size_t k = 0; k < rows.size(); ++k)
        rows[k] = found->second.at(list.positions[k], rows[k]);
    shown.add({.rows = rows,
               .positions = list.positions,
               .clicks = clicks,
               .query = list.query,
               .weight = list.weight});
  }
  return shown;
}

}  // namespace ultr
