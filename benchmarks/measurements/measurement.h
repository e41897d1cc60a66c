#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ultr::bench {

/// A measured number with its subject and setting.
struct Measurement {
  std::string what;               // "step"
  std::string unit;               // "M sessions/s"
  std::string subject;            // a model, or a format
  std::int64_t batch = 0;         // sessions; 0 if there are no batches
  int threads = 0;                // 0 if it does not depend on threads
  std::int64_t rows = 0;          // query-document pairs
  std::optional<double> value{};  // nothing if it cannot be measured on this machine
  std::optional<double> limit{};  // the value of the hand-fused program, if it supports this
};

/// Receives measurements as they are made.
using TakeMeasurement = std::function<void(const Measurement&)>;

/// The models and settings to measure.
struct MeasurementPlan {
  std::vector<std::string> models;
  std::vector<std::int64_t> rows;  // query-document pairs, ascending
  std::vector<std::int64_t> batches;
  std::vector<int> threads;  // ascending
  double seconds = 0.3;      // per window; the median of three windows counts

  /// Returns the number of rows for measurements that hardly depend on it: the first that is at
  /// least a million, or the last.
  std::int64_t usual_rows() const {
    for (const std::int64_t some : rows)
      if (some >= 1000000) return some;
    return rows.back();
  }
};

}  // namespace ultr::bench
