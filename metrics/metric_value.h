#pragma once

#include <string>

namespace ultr {

/// One result: a name from the table in metrics/metrics.h (K is a number there) and its value.
struct MetricValue {
  std::string name;
  double value = 0;
};

}  // namespace ultr
