#pragma once

#include <chrono>
#include <cstdio>

#include "training/training.h"

namespace ultr {

/// A table of training progress. On a terminal, the line of the current epoch is redrawn a few
/// times per second; elsewhere, one plain line is printed per epoch.
class ProgressTable {
 public:
  /// Writes to `out`. `epochs` is the largest number of epochs, `sessions` the number of sessions
  /// per epoch.
  ProgressTable(std::FILE* out, std::int64_t epochs, std::size_t sessions);
  /// Clears the progress line even if training throws.
  ~ProgressTable();
  ProgressTable(const ProgressTable&) = delete;
  ProgressTable& operator=(const ProgressTable&) = delete;

  /// Starts from a resumed run that has done `epochs_done` epochs and `sessions_done` sessions of
  /// the next.
  void resume(std::int64_t epochs_done, std::size_t sessions_done);
  void header();
  void step(std::int64_t epoch, std::size_t sessions_done);
  void epoch(const EpochResult& result);

 private:
  using Clock = std::chrono::steady_clock;

  void erase_running_line();

  std::FILE* out_;
  bool terminal_;
  std::int64_t epochs_;
  std::size_t sessions_;
  Clock::time_point start_, epoch_start_;
  Clock::time_point drawn_{};  // long ago, so that the first step is shown at once
  bool running_line_ = false;
  double epochs_before_ = 0;         // done when the clock started
  std::size_t sessions_before_ = 0;  // of the current epoch, done then
};

}  // namespace ultr
