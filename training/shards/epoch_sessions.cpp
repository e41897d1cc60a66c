#include "training/shards/epoch_sessions.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace ultr {

EpochSessions::EpochSessions(const SessionLog& log, NumberRange sessions, std::uint64_t seed,
                             std::int64_t epoch, bool shuffle, WorkerTeam& workers)
    : log_(log),
      sessions_(sessions),
      order_(sessions.size(), seed, epoch, shuffle),
      workers_(workers) {
  if (reads_blocks()) announced_.emplace(log);
}

std::vector<NumberRange> EpochSessions::ranges_in_log(std::size_t window) const {
  std::vector<NumberRange> ranges = order_.ranges(window);
  for (auto& [first, last] : ranges) {
    first += sessions_.first;
    last += sessions_.first;
  }
  return ranges;
}

void EpochSessions::fill(std::size_t window) {
  if (placed_ != window) order_.places(window, places_);
  placed_ = window;
  if (copies())
    copy_sessions(window);
  else
    list_sessions(window);
  filled_ = window;
}

void EpochSessions::list_sessions(std::size_t window) {
  at_.resize(places_.size());
  auto place = places_.begin();
  for (const auto& [first, last] : ranges_in_log(window))
    for (std::size_t session = first; session < last; ++session)
      at_[*place++] = static_cast<std::uint32_t>(session);
}

void EpochSessions::copy_sessions(std::size_t window) {
  const bool first = filled_ == SIZE_MAX, last = window + 1 == order_.windows();
  const SessionLogView log = log_.spans();
  std::vector<SessionRun> runs;
  std::span<const std::uint32_t> places = places_;
  for (const auto& [begin, end] : ranges_in_log(window)) {
    if (first && reads_blocks()) log_.read_ahead(begin, end - begin);
    // Split into blocks, so that all workers get some even if nothing is shuffled.
    for (std::size_t from = begin; from < end; from += order_.block()) {
      const NumberRange block = {from, std::min(from + order_.block(), end)};
      runs.push_back({&log, block, places.first(block.size())});
      places = places.subspan(block.size());
    }
  }
  window_.start(runs);

  // Read the next window's sessions from disk while this one is trained on.
  const auto next_ranges = last ? std::vector<NumberRange>() : ranges_in_log(window + 1);
  workers_(workers_.count(), 1 + runs.size() + next_ranges.size(),
           [&](std::size_t, std::size_t item) {
             if (item == 0) {
               if (!last) order_.places(window + 1, next_places_);
             } else if (item <= runs.size()) {
               window_.copy(runs[item - 1]);
             } else if (reads_blocks()) {
               const NumberRange& range = next_ranges[item - 1 - runs.size()];
               log_.read_ahead(range.first, range.size());
             }
           });
  log_.release(sessions_.first, sessions_.size());
  at_.resize(places_.size());
  std::iota(at_.begin(), at_.end(), 0u);
  if (last) return;
  places_.swap(next_places_);
  placed_ = window + 1;
}

std::span<const std::uint32_t> EpochSessions::in_window(std::size_t begin, std::size_t most) {
  if (filled_ != begin / EpochOrder::window) fill(begin / EpochOrder::window);
  const std::size_t from = begin % EpochOrder::window;
  return std::span<const std::uint32_t>(at_).subspan(from, std::min(most, at_.size() - from));
}

SessionSelection EpochSessions::at(std::size_t begin, std::size_t count) {
  const auto whole = in_window(begin, count);
  if (whole.size() < count) return over_windows(begin, count);
  return {copies() ? window_.spans() : log_.spans(), whole};
}

SessionSelection EpochSessions::over_windows(std::size_t begin, std::size_t count) {
  part_at_.clear();
  while (count > 0) {
    const auto more = in_window(begin, count);
    begin += more.size();
    count -= more.size();
    const std::size_t had = part_at_.size();
    part_at_.insert(part_at_.end(), more.begin(), more.end());
    if (!copies()) continue;
    std::iota(part_at_.begin(), part_at_.end(), 0u);
    const std::span<const std::uint32_t> places = part_at_;
    const SessionLogView before = part_.spans(), window = window_.spans();
    std::vector<SessionRun> runs;
    if (had > 0) runs.push_back({&before, {0, had}, places.first(had)});
    runs.push_back({&window, {more.front(), more.front() + more.size()}, places.subspan(had)});
    longer_part_.start(runs);
    for (const SessionRun& run : runs) longer_part_.copy(run);
    std::swap(part_, longer_part_);
  }
  return {copies() ? part_.spans() : log_.spans(), part_at_};
}

}  // namespace ultr
