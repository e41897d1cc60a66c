#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace ultr {

/// Shortest time between two redraws of progress on a terminal.
inline constexpr auto redraw_every = std::chrono::milliseconds(200);

/// A progress bar, redrawn a few times per second. Draws on terminals, or on the console that the
/// process uses (base/standard_output.h).
class ProgressBar {
 public:
  /// Writes to `out`. `total` is all work, in units such as "B"; 0 if unknown, which draws no bar.
  ProgressBar(std::FILE* out, std::string label, std::uint64_t total, std::string unit);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void add(std::uint64_t units);
  /// Removes the bar from the terminal, as the destructor does.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  std::FILE* out_;
  bool terminal_, drawn_once_ = false;
  std::string label_, unit_;
  std::uint64_t total_, done_ = 0;
  Clock::time_point start_, drawn_;
};

/// Called with the work at hand, such as "bootstrap", and how many of its units ("resamples") are
/// done. `all` is 0 if the work is not counted.
using Progress = std::function<void(std::string_view work, std::string_view unit,
                                    std::uint64_t done, std::uint64_t all)>;

/// Progress bars on stderr, one after the other: one per kind of work.
class ProgressBars {
 public:
  /// Shows `done` of `all` units ("sessions") of the work ("bootstrap").
  void operator()(std::string_view work, std::string_view unit, std::uint64_t done,
                  std::uint64_t all);

 private:
  std::optional<ProgressBar> bar_;
  std::string work_;
  std::uint64_t done_ = 0;
};

}  // namespace ultr
