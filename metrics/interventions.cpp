#include "metrics/interventions.h"

#include <algorithm>

#include "data/log/click_of.h"

namespace ultr {

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
  std::vector<RowUse> uses = row_uses();
  std::size_t all = 0;
  for (RowUse& use : uses)
    if (use.at_several) {
      const std::size_t begin = all;
      all += use.impressions;
      use.impressions = begin;  // where the row's next one goes
    }
  impressions_.resize(all);
  const std::span<const std::uint32_t> rows = log.rows();
  for_each_document([&](std::size_t session, std::size_t document, std::uint16_t position) {
    if (RowUse& use = uses[rows[document]]; use.at_several)
      impressions_[use.impressions++] = {.session = static_cast<std::uint32_t>(session),
                                         .position = position,
                                         .clicked = click_of(log, document)};
  });
  std::vector<std::uint16_t> shown;
  std::size_t begin = 0;
  for (const RowUse& use : uses) {
    if (!use.at_several) continue;
    shown.clear();
    for (; begin < use.impressions; ++begin) shown.push_back(impressions_[begin].position);
    std::sort(shown.begin(), shown.end());
    pair_positions_.insert(pair_positions_.end(), shown.begin(),
                           std::unique(shown.begin(), shown.end()));
    pairs_.push_back({.impressions = begin, .positions = pair_positions_.size()});
  }
}

template <class Visit>
void Interventions::for_each_document(const Visit& visit) const {
  const std::span<const std::int64_t> offsets = log_->offsets();
  const std::span<const std::uint16_t> positions =
      places_ == nullptr ? log_->positions_shown() : std::span(places_->of_documents);
  for (std::size_t session = 0, document = 0; session < log_->sessions(); ++session)
    for (std::uint16_t rank = 0; document < static_cast<std::size_t>(offsets[session + 1]);
         ++rank, ++document)
      visit(session, document, positions.empty() ? rank : positions[document]);
}

std::vector<Interventions::RowUse> Interventions::row_uses() const {
  std::vector<RowUse> uses;
  const std::span<const std::uint32_t> rows = log_->rows();
  for_each_document([&](std::size_t, std::size_t document, std::uint16_t position) {
    const std::size_t row = rows[document];
    if (row >= uses.size()) uses.resize(row + 1);
    RowUse& use = uses[row];
    ++use.impressions;
    if (use.position == RowUse::nowhere) use.position = position;
    if (use.position != position && row != 0) use.at_several = true;
  });
  return uses;
}

template <class Visit>
void Interventions::for_each_pair(std::span<const std::uint8_t> times, const Visit& visit) const {
  std::vector<double> impressions(positions()), clicks(positions());
  std::size_t next = 0, begin = 0;
  for (const PairEnds& end : pairs_) {
    for (; next < end.impressions; ++next) {
      const Impression& impression = impressions_[next];
      const double taken = times.empty() ? 1 : times[impression.session];
      impressions[impression.position] += taken;
      clicks[impression.position] += taken * static_cast<double>(impression.clicked);
    }
    const auto shown = std::span(pair_positions_).subspan(begin, end.positions - begin);
    begin = end.positions;
    visit(shown, impressions, clicks);
    for (const std::uint16_t position : shown) impressions[position] = clicks[position] = 0;
  }
}

void Interventions::each_pair(const std::function<void(std::span<const PairAtPosition>)>& take,
                              std::span<const std::uint8_t> times) const {
  std::vector<PairAtPosition> pair;
  for_each_pair(times, [&](auto shown, const auto& impressions, const auto& clicks) {
    pair.clear();
    for (const std::uint16_t k : shown)
      if (impressions[k] > 0)
        pair.push_back({.position = k, .impressions = impressions[k], .clicks = clicks[k]});
    if (!pair.empty()) take(pair);
  });
}

InterventionSums Interventions::sums(std::span<const std::uint8_t> times) const {
  InterventionSums sums(positions());
  for_each_document([&](std::size_t session, std::size_t document, std::uint16_t position) {
    const double taken = times.empty() ? 1 : times[session];
    sums.impressions[position] += taken;
    sums.clicks[position] += taken * static_cast<double>(click_of(*log_, document));
  });
  std::vector<double> is_shown(sums.positions), rate(sums.positions);
  for_each_pair(times, [&](auto shown, const auto& impressions, const auto& clicks) {
    // Without branches, which a resample would make at random.
    for (const std::uint16_t k : shown) {
      is_shown[k] = std::min(impressions[k], 1.0);
      rate[k] = clicks[k] / std::max(impressions[k], 1.0);
    }
    for (const std::uint16_t a : shown)
      for (const std::uint16_t b : shown) {
        const std::size_t at = a * sums.positions + b;
        sums.set_sizes[at] += is_shown[a] * is_shown[b];
        sums.set_click_rates[at] += rate[a] * is_shown[b];
      }
  });
  for (std::size_t k = 0; k < sums.positions; ++k)
    sums.set_sizes[k * (sums.positions + 1)] = sums.set_click_rates[k * (sums.positions + 1)] = 0;
  return sums;
}

}  // namespace ultr
