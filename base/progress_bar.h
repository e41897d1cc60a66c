#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

namespace ultr {

/// How often what shows progress on a terminal is drawn anew, at most.
inline constexpr auto redraw_every = std::chrono::milliseconds(200);

/// A bar of work that is done, drawn anew a few times a second; on a terminal only.
class ProgressBar {
 public:
  /// `total`: all work, in units such as "B"; 0 if unknown. Writes to `out`.
  ProgressBar(std::FILE* out, std::string label, std::uint64_t total, std::string unit);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void add(std::uint64_t units);
  /// Takes the bar off the terminal, as the end of its life does.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  std::FILE* out_;
  bool terminal_, drawn_once_ = false;
  std::string label_, unit_;
  std::uint64_t total_, done_ = 0;
  Clock::time_point start_, drawn_;
};

/// A bar on stderr for each kind of work, one after the other.
class ProgressBars {
 public:
  /// `done` of `all` units ("sessions") of the work ("bootstrap").
  void operator()(std::string_view work, std::string_view unit, std::uint64_t done,
                  std::uint64_t all);

 private:
  std::optional<ProgressBar> bar_;
  std::string work_;
  std::uint64_t done_ = 0;
};

}  // namespace ultr
