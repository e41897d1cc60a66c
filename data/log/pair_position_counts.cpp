#include "data/log/pair_position_counts.h"

#include <algorithm>
#include <utility>

#include "data/log/click_of.h"

namespace ultr {
namespace {

/// An impression of some pair.
struct Impression {
  float clicked;
  std::uint16_t position;
};

/// The impressions of a log, pair after pair.
struct SortedImpressions {
  std::vector<Impression> all;
  std::vector<double> weights;    // of their sessions; empty if all are 1
  std::vector<std::size_t> ends;  // by row

  explicit SortedImpressions(const SessionLog& log)
      : all(log.documents()), weights(log.has_weights() ? log.documents() : 0) {
    const std::span<const std::uint32_t> rows = log.rows();
    if (!rows.empty()) ends.resize(std::size_t{std::ranges::max(rows)} + 1);
    for (const std::uint32_t row : rows) ++ends[row];
    std::size_t begin = 0;
    for (std::size_t& end : ends) begin += std::exchange(end, begin);  // where its next one goes
    for (std::size_t s = 0; s < log.sessions(); ++s) {
      const SessionView session = log[s];
      for (std::size_t k = 0; k < session.rows.size(); ++k) {
        const std::size_t at = ends[session.rows[k]]++;
        all[at] = {.clicked = click_of(session, k), .position = session.positions[k]};
        if (!weights.empty()) weights[at] = session.weight;
      }
    }
  }
};

}  // namespace

PairPositionCounts::PairPositionCounts(const SessionLog& log)
    : positions_(log.positions()), begins_(1) {
  const SortedImpressions impressions(log);
  std::vector<Cell> by_position(positions_);
  std::vector<std::uint16_t> shown;
  std::size_t next = 0;
  for (const std::size_t end : impressions.ends) {
    shown.clear();
    for (; next < end; ++next) {
      const auto& [clicked, position] = impressions.all[next];
      const double weight = impressions.weights.empty() ? 1 : impressions.weights[next];
      Cell& cell = by_position[position];
      if (cell.impressions == 0) shown.push_back(position);
      cell.impressions += weight;
      cell.clicks += weight * static_cast<double>(clicked);
    }
    std::ranges::sort(shown);
    for (const std::uint16_t position : shown) {
      cells_.push_back(std::exchange(by_position[position], {}));
      cells_.back().position = position;
    }
    begins_.push_back(cells_.size());
  }
}

}  // namespace ultr
