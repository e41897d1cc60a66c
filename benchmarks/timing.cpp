#include "timing.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <thread>

#include <sched.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include "base/quantile.h"

namespace ultr::bench {

std::vector<double> median_speeds(std::span<const std::function<void()>> runs, double units,
                                  double seconds) {
  using Clock = std::chrono::steady_clock;
  std::vector<std::array<double, 3>> windows(runs.size());
  for (std::size_t window = 0; window < 3; ++window)
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const auto start = Clock::now();
      double done = 0, spent = 0;
      while (spent < seconds) {
        runs[i]();
        done += units;
        spent = std::chrono::duration<double>(Clock::now() - start).count();
      }
      windows[i][window] = done / spent;
    }
  std::vector<double> medians;
  for (std::array<double, 3>& speeds : windows) {
    std::sort(speeds.begin(), speeds.end());
    medians.push_back(speeds[1]);
  }
  return medians;
}

double sorted_quantile(std::vector<double> numbers, double share) {
  std::sort(numbers.begin(), numbers.end());
  return quantile(numbers, share);
}

double median_speed(const std::function<void()>& run, double units, double seconds) {
  return median_speeds(std::span(&run, 1), units, seconds).front();
}

void start_threads() {
  using Clock = std::chrono::steady_clock;
  const int all = tbb::this_task_arena::max_concurrency();
  std::atomic<int> here = 0;
  const auto latest = Clock::now() + std::chrono::seconds(1);  // in case there are fewer threads
  const auto wait_for_all = [&](int) {
    ++here;
    while (here < all && Clock::now() < latest) std::this_thread::yield();
  };
  tbb::parallel_for(0, all, wait_for_all, tbb::simple_partitioner());
}

OnLastCore::OnLastCore(bool pins) {
  if (!pins) return;
  cpu_set_t cores;
  sched_getaffinity(0, sizeof cores, &cores);
  for (std::size_t core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &cores)) before_.push_back(core);
  CPU_ZERO(&cores);
  CPU_SET(before_.back(), &cores);
  sched_setaffinity(0, sizeof cores, &cores);
}

OnLastCore::~OnLastCore() {
  if (before_.empty()) return;
  cpu_set_t cores;
  CPU_ZERO(&cores);
  for (const std::size_t core : before_) CPU_SET(core, &cores);
  sched_setaffinity(0, sizeof cores, &cores);
}

}  // namespace ultr::bench
