#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/number_range.h"
#include "data/session_window.h"
#include "experiment/epoch_order.h"

namespace ultr {

/// Some sessions, to be packed in this order.
struct SessionSelection {
  SessionSpans sessions;                  // which has them, and others perhaps
  std::span<const std::uint32_t> places;  // where they are there
};

/// The sessions of an epoch in its order (EpochOrder). Of a log of more than one window, the blocks
/// of a window are copied side by side, and the memory of mapped columns is given back after each:
/// memory does not grow with the log.
class EpochSessions {
 public:
  /// `log` must outlive it and stay as it is.
  EpochSessions(const SessionLog& log, std::uint64_t seed, std::int64_t epoch, bool shuffle)
      : EpochSessions(log, {0, log.sessions()}, seed, epoch, shuffle) {}
  /// Of some neighbouring sessions alone, as if the log had no others.
  EpochSessions(const SessionLog& log, NumberRange sessions, std::uint64_t seed, std::int64_t epoch,
                bool shuffle);

  /// `count` sessions, at least one, from place `begin` of the epoch on, valid until the next call.
  SessionSelection at(std::size_t begin, std::size_t count);

 private:
  bool copies() const { return order_.windows() > 1 && log_.features().empty(); }
  void fill(std::size_t window);

  const SessionLog& log_;
  NumberRange sessions_;
  EpochOrder order_;
  std::size_t filled_ = SIZE_MAX;      // the window's number
  std::vector<std::uint32_t> places_;  // of its sessions, in the log or in window_
  SessionWindow window_;
  SessionWindow part_;  // what `at` returns where it spans windows, if they are copies
  std::vector<std::uint32_t> places_of_part_;
};

}  // namespace ultr
