#include "metrics/interventions.h"

#include <algorithm>
#include <tuple>

#include <tbb/parallel_sort.h>

#include "data/log/click_of.h"

namespace ultr {
namespace {

/// Returns the positions of a session's documents, or the places given for them.
std::span<const std::uint16_t> places_of(const SessionLog& log, std::size_t session,
                                         const DisplayPlaces* places) {
  if (places == nullptr) return log[session].positions;
  return std::span(places->of_documents).subspan(log.first_document(session), log.length(session));
}

/// Returns true for the rows that a log shows at several positions.
std::vector<bool> shown_at_several(const SessionLog& log, const DisplayPlaces* places) {
  constexpr std::uint32_t nowhere = 1u << 16;
  std::vector<std::uint32_t> first;
  std::vector<bool> several;
  for (std::size_t s = 0; s < log.sessions(); ++s) {
    const std::span<const std::uint32_t> rows = log[s].rows;
    const auto at = places_of(log, s, places);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::uint32_t row = rows[i], position = at[i];
      if (row >= first.size()) {
        first.resize(row + std::size_t{1}, nowhere);
        several.resize(first.size());
      }
      if (first[row] == nowhere) first[row] = position;
      if (first[row] != position && row != 0) several[row] = true;
    }
  }
  return several;
}

}  // namespace

bool InterventionSums::any() const {
  return std::any_of(set_sizes.begin(), set_sizes.end(), [](double size) { return size > 0; });
}

std::vector<bool> InterventionSums::linked_to_first() const {
  return reached_from_first(positions,
                            [&](std::size_t k, std::size_t other) { return size(k, other) > 0; });
}

std::vector<bool> reached_from_first(
    std::size_t positions, const std::function<bool(std::size_t from, std::size_t to)>& step) {
  std::vector<bool> reached(positions);
  if (positions == 0) return reached;
  std::vector<std::size_t> open = {0};
  reached[0] = true;
  while (!open.empty()) {
    const std::size_t k = open.back();
    open.pop_back();
    for (std::size_t other = 0; other < positions; ++other) {
      if (reached[other] || !step(k, other)) continue;
      reached[other] = true;
      open.push_back(other);
    }
  }
  return reached;
}

Interventions::Interventions(const SessionLog& log, const DisplayPlaces* places)
    : log_(&log), places_(places) {
  const std::vector<bool> several = shown_at_several(log, places);
  for (std::size_t s = 0; s < log.sessions(); ++s) {
    const SessionView session = log[s];
    const auto at = places_of(log, s, places);
    for (std::size_t i = 0; i < session.rows.size(); ++i)
      if (several[session.rows[i]])
        impressions_.push_back({.row = session.rows[i],
                                .session = static_cast<std::uint32_t>(s),
                                .position = at[i],
                                .clicked = click_of(session, i)});
  }
  tbb::parallel_sort(impressions_.begin(), impressions_.end(),
                     [](const Impression& a, const Impression& b) {
                       return std::tie(a.row, a.position, a.session, a.clicked) <
                              std::tie(b.row, b.position, b.session, b.clicked);
                     });
}

void Interventions::each_pair(const std::function<void(std::span<const PairAtPosition>)>& take,
                              std::span<const std::uint8_t> times) const {
  std::vector<PairAtPosition> shown;
  const auto hand_over = [&] {
    if (!shown.empty()) take(shown);
    shown.clear();
  };
  std::uint32_t row = 0;
  for (const Impression& impression : impressions_) {
    const double taken = times.empty() ? 1 : times[impression.session];
    if (taken == 0) continue;
    if (impression.row != row) hand_over();
    row = impression.row;
    if (shown.empty() || shown.back().position != impression.position)
      shown.push_back({.position = impression.position, .impressions = 0, .clicks = 0});
    shown.back().impressions += taken;
    shown.back().clicks += taken * static_cast<double>(impression.clicked);
  }
  hand_over();
}

InterventionSums Interventions::sums(std::span<const std::uint8_t> times) const {
  InterventionSums sums(places_ == nullptr ? log_->positions() : places_->count);
  for (std::size_t s = 0; s < log_->sessions(); ++s) {
    const double taken = times.empty() ? 1 : times[s];
    if (taken == 0) continue;
    const SessionView session = (*log_)[s];
    const auto at = places_of(*log_, s, places_);
    for (std::size_t i = 0; i < session.rows.size(); ++i) {
      sums.impressions[at[i]] += taken;
      sums.clicks[at[i]] += taken * static_cast<double>(click_of(session, i));
    }
  }
  each_pair(
      [&](std::span<const PairAtPosition> shown) {
        for (const PairAtPosition& a : shown)
          for (const PairAtPosition& b : shown) {
            if (a.position == b.position) continue;
            const std::size_t at = a.position * sums.positions + b.position;
            sums.set_sizes[at] += 1;
            sums.set_click_rates[at] += a.click_rate();
          }
      },
      times);
  return sums;
}

}  // namespace ultr
