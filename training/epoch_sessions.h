#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/worker_team.h"
#include "data/log/session_window.h"
#include "training/epoch_order.h"

namespace ultr {

/// Some sessions, to be packed in this order.
struct SessionSelection {
  SessionSpans sessions;                  // which has them, and others perhaps
  std::span<const std::uint32_t> places;  // where they are there
};

/// The sessions of an epoch in its order (EpochOrder). Of a log of more than one window, those of a
/// window are copied into that order, and the memory of mapped columns is given back after each:
/// memory does not grow with the log.
class EpochSessions {
 public:
  /// `log` must outlive it and stay as it is; `workers`, which copy, too.
  EpochSessions(const SessionLog& log, std::uint64_t seed, std::int64_t epoch, bool shuffle,
                WorkerTeam& workers)
      : EpochSessions(log, {0, log.sessions()}, seed, epoch, shuffle, workers) {}
  /// Of some neighbouring sessions alone, as if the log had no others.
  EpochSessions(const SessionLog& log, NumberRange sessions, std::uint64_t seed, std::int64_t epoch,
                bool shuffle, WorkerTeam& workers);

  /// `count` sessions, at least one, from place `begin` of the epoch on, valid until the next call.
  SessionSelection at(std::size_t begin, std::size_t count);

 private:
  bool copies() const { return order_.windows() > 1 && log_.features().empty(); }
  std::vector<NumberRange> ranges_in_log(std::size_t window) const;
  void fill(std::size_t window);
  void list_sessions(std::size_t window);
  void copy_sessions(std::size_t window);
  /// Where sessions are from place `begin` of the epoch on, as many, or up to the window's end.
  std::span<const std::uint32_t> in_window(std::size_t begin, std::size_t most);
  SessionSelection over_windows(std::size_t begin, std::size_t count);

  const SessionLog& log_;
  NumberRange sessions_;
  EpochOrder order_;
  WorkerTeam& workers_;
  std::size_t filled_ = SIZE_MAX;  // the window's number
  SessionWindow window_;           // its sessions, if they are copied
  std::vector<std::uint32_t> at_;  // where each is, in the log or in window_
  // EpochOrder::places of one window and, while that is filled, of the next.
  std::vector<std::uint32_t> places_, next_places_;
  std::size_t placed_ = SIZE_MAX;  // the number of the former
  // What `at` returns of several windows.
  SessionWindow part_, longer_part_;
  std::vector<std::uint32_t> part_at_;
};

}  // namespace ultr
