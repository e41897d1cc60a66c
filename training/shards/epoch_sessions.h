#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/threads/worker_team.h"
#include "data/log/announced_reading.h"
#include "data/log/session_window.h"
#include "training/shards/epoch_order.h"

namespace ultr {

/// The sessions to pack, in order.
struct SessionSelection {
  SessionLogView sessions;                // contains them, perhaps among others
  std::span<const std::uint32_t> places;  // their indices in `sessions`
};

/// The sessions of an epoch in its order (EpochOrder). A log of more than one window is copied into
/// that order window by window, unless its documents have features of their own. The memory of
/// mapped columns is released after each window, so memory use does not grow with the log.
class EpochSessions {
 public:
  /// Visits a range of neighbouring sessions, as if the log had no others. `log` and `workers`,
  /// which do the copying, must outlive this object. The log must not change.
  EpochSessions(const SessionLog& log, NumberRange sessions, std::uint64_t seed, std::int64_t epoch,
                bool shuffle, WorkerTeam& workers);

  /// Returns `count` sessions, at least one, from place `begin` of the epoch on. Valid until the
  /// next call.
  SessionSelection at(std::size_t begin, std::size_t count);

 private:
  bool copies() const { return order_.windows() > 1 && log_.features().empty(); }
  /// True if the log is read from files block by block, each of which is announced.
  bool reads_blocks() const { return copies() && log_.in_columns(); }
  std::vector<NumberRange> ranges_in_log(std::size_t window) const;
  void fill(std::size_t window);
  void list_sessions(std::size_t window);
  void copy_sessions(std::size_t window);
  /// Returns the indices of the sessions from place `begin` of the epoch on: `most` of them, or
  /// those up to the end of the window.
  std::span<const std::uint32_t> in_window(std::size_t begin, std::size_t most);
  SessionSelection over_windows(std::size_t begin, std::size_t count);

  const SessionLog& log_;
  NumberRange sessions_;
  EpochOrder order_;
  WorkerTeam& workers_;
  std::optional<AnnouncedReading> announced_;  // if the log is read block by block
  std::size_t filled_ = SIZE_MAX;              // number of the window held
  SessionWindow window_;                       // its sessions, if copied
  std::vector<std::uint32_t> at_;              // index of each in the log or in window_
  // EpochOrder::places of one window and, while it is being filled, of the next.
  std::vector<std::uint32_t> places_, next_places_;
  std::size_t placed_ = SIZE_MAX;  // number of the window of places_
  // Results of `at` that span several windows.
  SessionWindow part_, longer_part_;
  std::vector<std::uint32_t> part_at_;
};

}  // namespace ultr
