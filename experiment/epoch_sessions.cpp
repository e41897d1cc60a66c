#include "experiment/epoch_sessions.h"

#include <algorithm>

namespace ultr {

EpochSessions::EpochSessions(const SessionLog& log, NumberRange sessions, std::uint64_t seed,
                             std::int64_t epoch, bool shuffle)
    : log_(log), sessions_(sessions), order_(sessions.size(), seed, epoch, shuffle) {}

void EpochSessions::fill(std::size_t window) {
  std::vector<EpochOrder::Run> runs = order_.runs(window);
  for (EpochOrder::Run& run : runs) run.first += sessions_.first;
  order_.shuffled(window, places_);
  filled_ = window;
  if (!copies()) {
    std::vector<std::uint32_t> sessions;
    for (const auto& [first, count] : runs)
      for (std::size_t i = 0; i < count; ++i)
        sessions.push_back(static_cast<std::uint32_t>(first + i));
    for (std::uint32_t& place : places_) place = sessions[place];
    return;
  }
  if (log_.in_columns())  // what is not in memory is then read all at once
    for (const auto& [first, count] : runs) log_.read_ahead(first, count);
  const SessionSpans sessions = log_.spans();
  window_.clear();
  for (const auto& [first, count] : runs) window_.add(sessions, first, count);
  log_.release(sessions_.first, sessions_.size());
}

SessionSelection EpochSessions::at(std::size_t begin, std::size_t count) {
  const auto from_window = [&](std::size_t place, std::size_t most) {
    if (filled_ != place / EpochOrder::window) fill(place / EpochOrder::window);
    const std::size_t from = place % EpochOrder::window;
    return std::span<const std::uint32_t>(places_).subspan(from,
                                                           std::min(most, places_.size() - from));
  };
  const auto spans = [&] { return copies() ? window_.spans() : log_.spans(); };
  const auto whole = from_window(begin, count);
  if (whole.size() == count) return {spans(), whole};
  part_.clear();
  places_of_part_.clear();
  while (count > 0) {
    const auto some = from_window(begin, count);
    for (const std::uint32_t place : some) {
      if (copies()) part_.add(window_.spans(), place, 1);
      places_of_part_.push_back(copies() ? static_cast<std::uint32_t>(places_of_part_.size())
                                         : place);
    }
    begin += some.size();
    count -= some.size();
  }
  return {copies() ? part_.spans() : log_.spans(), places_of_part_};
}

}  // namespace ultr
