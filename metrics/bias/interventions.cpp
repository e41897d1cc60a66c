#include "metrics/bias/interventions.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "base/random.h"
#include "base/threads/number_range.h"
#include "data/log/click_of.h"
#include "data/log/parallel_shards.h"
#include "metrics/bootstrap.h"

namespace ultr {
namespace {

constexpr std::size_t resamples_at_once = 8;
constexpr std::size_t soon = 16;  // impressions after which memory is needed

/// The times that each session counts: once.
struct Once {
  static constexpr std::size_t count = 1;
  using Each = std::array<double, count>;

  std::array<std::uint8_t, count> of(std::size_t) const { return {1}; }
  void prefetch(std::size_t) const {}
};

using DrawResample = std::function<std::vector<std::uint8_t>(std::size_t)>;

/// The times that each session counts in several resamples.
template <std::size_t most>
class Resamples {
 public:
  static constexpr std::size_t count = most;
  using Each = std::array<double, count>;

  /// Draws the resamples with these numbers.
  Resamples(std::size_t sessions, NumberRange drawn, const DrawResample& draw) : times_(sessions) {
    for (std::size_t i = 0; i < drawn.size(); ++i) {
      const std::vector<std::uint8_t> times = draw(drawn.first + i);
      for (std::size_t session = 0; session < sessions; ++session)
        times_[session][i] = times[session];
    }
  }
  std::array<std::uint8_t, count> of(std::size_t session) const { return times_[session]; }
  void prefetch(std::size_t session) const { __builtin_prefetch(&times_[session]); }

 private:
  std::vector<std::array<std::uint8_t, count>> times_;
};

/// Adds a number to the sum of each resample, as often as it counts there.
template <std::size_t count>
void add(const std::array<std::uint8_t, count>& times, float number,
         std::array<double, count>& sums) {
  for (std::size_t i = 0; i < count; ++i) sums[i] += times[i] * static_cast<double>(number);
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

template <class Times, class Visit>
void Interventions::for_each_pair(const Times& times, const Visit& visit) const {
  using Each = typename Times::Each;
  std::vector<Each> impressions(positions()), clicks(positions());
  std::size_t next = 0, begin = 0;
  for (const PairEnds& end : pairs_) {
    for (; next < end.impressions; ++next) {
      const Impression& impression = impressions_[next];
      if (next + soon < impressions_.size()) times.prefetch(impressions_[next + soon].session);
      add(times.of(impression.session), 1, impressions[impression.position]);
      add(times.of(impression.session), impression.clicked, clicks[impression.position]);
    }
    const auto shown = std::span(pair_positions_).subspan(begin, end.positions - begin);
    begin = end.positions;
    visit(shown, impressions, clicks);
    for (const std::uint16_t position : shown) impressions[position] = clicks[position] = Each{};
  }
}

void Interventions::each_pair(
    const std::function<void(std::span<const PairAtPosition>)>& take) const {
  std::vector<PairAtPosition> pair;
  for_each_pair(Once(), [&](auto shown, const auto& impressions, const auto& clicks) {
    pair.clear();
    for (const std::uint16_t k : shown)
      pair.push_back({.position = k, .impressions = impressions[k][0], .clicks = clicks[k][0]});
    take(pair);
  });
}

template <class Times>
std::vector<InterventionSums> Interventions::sums_of(const Times& times, std::size_t count) const {
  using Each = typename Times::Each;
  const std::size_t n = positions();
  std::vector<Each> impressions(n), clicks(n), set_sizes(n * n), set_click_rates(n * n);
  for_each_document([&](std::size_t session, std::size_t document, std::uint16_t position) {
    add(times.of(session), 1, impressions[position]);
    add(times.of(session), click_of(*log_, document), clicks[position]);
  });
  std::vector<Each> is_shown(n), rate(n);
  for_each_pair(times, [&](auto shown, const auto& pair_impressions, const auto& pair_clicks) {
    // Without branches, which a resample would make at random.
    for (const std::uint16_t k : shown)
      for (std::size_t i = 0; i < Times::count; ++i) {
        is_shown[k][i] = std::min(pair_impressions[k][i], 1.0);
        rate[k][i] = pair_clicks[k][i] / std::max(pair_impressions[k][i], 1.0);
      }
    for (const std::uint16_t a : shown)
      for (const std::uint16_t b : shown)
        for (std::size_t i = 0; i < Times::count; ++i) {
          set_sizes[a * n + b][i] += is_shown[a][i] * is_shown[b][i];
          set_click_rates[a * n + b][i] += rate[a][i] * is_shown[b][i];
        }
  });
  for (std::size_t k = 0; k < n; ++k) set_sizes[k * (n + 1)] = set_click_rates[k * (n + 1)] = {};

  std::vector<InterventionSums> sums(count, InterventionSums(n));
  for (std::size_t i = 0; i < count; ++i) {
    const auto take = [i](const std::vector<Each>& from, std::vector<double>& to) {
      std::ranges::transform(from, to.begin(), [i](const Each& each) { return each[i]; });
    };
    take(impressions, sums[i].impressions);
    take(clicks, sums[i].clicks);
    take(set_sizes, sums[i].set_sizes);
    take(set_click_rates, sums[i].set_click_rates);
  }
  return sums;
}

InterventionSums Interventions::sums() const { return std::move(sums_of(Once(), 1).front()); }

std::vector<InterventionSums> Interventions::sums(std::size_t resamples,
                                                  const DrawResample& times) const {
  constexpr std::size_t many_positions = 256;  // whose sums take megabytes for each resample
  std::vector<InterventionSums> sums;
  const auto append = [&](auto drawn, std::size_t count) {
    std::ranges::move(sums_of(drawn, count), std::back_inserter(sums));
  };
  for (std::size_t i = 0; i < resamples; i = sums.size())
    if (positions() < many_positions) {
      const NumberRange some = {i, std::min(i + resamples_at_once, resamples)};
      append(Resamples<resamples_at_once>(sessions(), some, times), some.size());
    } else {
      append(Resamples<1>(sessions(), {i, i + 1}, times), 1);
    }
  return sums;
}

void resample_sums(const Interventions& interventions, const Resampling& resampling,
                   const std::function<void(std::size_t, const InterventionSums&)>& take,
                   const std::function<void(std::size_t)>& done) {
  const auto threads = static_cast<std::size_t>(resampling.threads);
  const std::size_t at_once = resamples_at_once * threads;
  for (std::size_t begin = 0; begin < resampling.resamples; begin += at_once) {
    const std::size_t end = std::min(begin + at_once, resampling.resamples);
    for_each_worker(resampling.threads, [&](std::size_t worker) {
      const NumberRange own = part_of(end - begin, worker, threads);
      const auto draw = [&](std::size_t i) {
        return draw_with_replacement(interventions.sessions(),
                                     RandomStream(resampling.seed, RandomPurpose::resampling,
                                                  resampling.step, begin + own.first + i));
      };
      const std::vector<InterventionSums> sums = interventions.sums(own.size(), draw);
      for (std::size_t i = 0; i < sums.size(); ++i) take(begin + own.first + i, sums[i]);
    });
    if (done) done(end);
  }
}

}  // namespace ultr
