#pragma once

#include <optional>
#include <string>

namespace ultr::bench {

/// The training step to measure.
struct LimitStep {
  std::string model;
  std::int64_t rows = 1000000;
  std::int64_t batch = 512;
  int threads = 1;

  auto operator<=>(const LimitStep&) const = default;
};

/// Returns the speed of the hand-fused program on the same step, in sessions per second: the median
/// of three windows of one second, on the cores that the calling thread may use. It is measured
/// once per process, when first asked for. Returns nothing if $ULTR_LIMIT does not name the
/// program, or if the program does not support the model or the number of threads.
std::optional<double> limit_sessions_per_second(const LimitStep& step);

}  // namespace ultr::bench
