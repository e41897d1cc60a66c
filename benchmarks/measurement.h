#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ultr::bench {

/// A number that was measured, and of what.
struct Measurement {
  std::string what;               // "step"
  std::string unit;               // "M sessions/s"
  std::string subject;            // a model, or a format
  std::int64_t batch = 0;         // sessions; 0: there are no batches
  int threads = 0;                // 0: it does not depend on them
  std::int64_t rows = 0;          // query-document pairs
  std::optional<double> value{};  // nothing: not on this machine
  std::optional<double> limit{};  // the same of the hand-fused program, as far as it does it
};

/// Takes measurements as they come.
using TakeMeasurement = std::function<void(const Measurement&)>;

/// What is to be measured.
struct MeasurementPlan {
  std::vector<std::string> models;
  std::vector<std::int64_t> rows;  // query-document pairs, rising
  std::vector<std::int64_t> batches;
  std::vector<int> threads;  // rising
  double seconds = 0.3;      // of each of three windows, whose median counts

  /// The number of rows at which things are measured that hardly depend on it: the first that is at
  /// least a million, or the last.
  std::int64_t usual_rows() const {
    for (const std::int64_t some : rows)
      if (some >= 1000000) return some;
    return rows.back();
  }
};

}  // namespace ultr::bench
