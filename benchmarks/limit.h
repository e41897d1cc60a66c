#pragma once

#include <optional>
#include <string>

namespace ultr::bench {

/// The step that a speed is asked for.
struct LimitStep {
  std::string model;
  std::int64_t rows = 1000000;
  std::int64_t batch = 512;
  int threads = 1;

  auto operator<=>(const LimitStep&) const = default;
};

/// Sessions a second of the hand-fused program on the same step, measured in this run, when first
/// asked for, on the cores that the calling thread may run on: the median of three windows of a
/// second. Nothing if $ULTR_LIMIT does not name the program, or if it does not know the model or so
/// many threads.
std::optional<double> limit_sessions_per_second(const LimitStep& step);

}  // namespace ultr::bench
