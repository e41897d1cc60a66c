#pragma once

#include <functional>
#include <span>
#include <vector>

namespace ultr::bench {

/// Units a second of each of some functions, which do `units` a call: the medians of three windows
/// of at least `seconds`, which the functions take in turns, so that a machine that slows down
/// slows all of them.
std::vector<double> median_speeds(std::span<const std::function<void()>> runs, double units,
                                  double seconds);
/// Of one function.
double median_speed(const std::function<void()>& run, double units, double seconds);

/// Starts the threads that parallel work runs on, if they are not there: those that are started
/// later than an OnLastCore run on its core alone.
void start_threads();

/// While it lives, the calling thread runs on the last core alone: the first one has the system's
/// interrupts. Threads that are started meanwhile inherit it.
class OnLastCore {
 public:
  OnLastCore();
  ~OnLastCore();
  OnLastCore(const OnLastCore&) = delete;
  OnLastCore& operator=(const OnLastCore&) = delete;

 private:
  std::vector<std::size_t> before_;  // cores that it could run on
};

}  // namespace ultr::bench
