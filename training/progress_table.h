#pragma once

#include <chrono>
#include <cstdio>
#include <string>

#include "training/training.h"

namespace ultr {

/// Shows training as a table: on a terminal with a line for the running epoch that is drawn anew a
/// few times a second, else one plain line an epoch.
class ProgressTable {
 public:
  /// `sessions`: of one epoch. Writes to `out`.
  ProgressTable(std::FILE* out, std::int64_t epochs, std::size_t sessions);
  /// Leaves no running line behind, whatever ends training.
  ~ProgressTable();
  ProgressTable(const ProgressTable&) = delete;
  ProgressTable& operator=(const ProgressTable&) = delete;

  /// Training goes on after so many epochs, and so many sessions of the next.
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
  Clock::time_point drawn_{};  // long ago: the first step is shown at once
  bool running_line_ = false;
  double epochs_before_ = 0;         // when the clock started
  std::size_t sessions_before_ = 0;  // of the running epoch then
};

}  // namespace ultr
