#pragma once

#include <functional>
#include <span>
#include <vector>

namespace ultr::bench {

/// Returns the speed of each function in units per second, if a call of it does `units`: the median
/// of three windows of at least `seconds`. The functions take turns, so that a slowdown of the
/// machine affects all of them.
std::vector<double> median_speeds(std::span<const std::function<void()>> runs, double units,
                                  double seconds);
/// Returns the speed of one function.
double median_speed(const std::function<void()>& run, double units, double seconds);

/// Returns a quantile of numbers in any order; of `share` 0.5, their median.
double sorted_quantile(std::vector<double> numbers, double share);

/// Starts the threads that parallel work runs on, if they do not run yet. Threads started during
/// the lifetime of an OnLastCore would be confined to its core.
void start_threads();

/// Pins the calling thread to the last core during its lifetime, because the first one handles the
/// system's interrupts. Threads that are started meanwhile inherit the pinning.
class OnLastCore {
 public:
  /// Without `pins`, the thread runs where the system lets it.
  explicit OnLastCore(bool pins = true);
  ~OnLastCore();
  OnLastCore(const OnLastCore&) = delete;
  OnLastCore& operator=(const OnLastCore&) = delete;

 private:
  std::vector<std::size_t> before_;  // cores it could run on; empty if it was not pinned
};

}  // namespace ultr::bench
