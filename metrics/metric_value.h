#pragma once

#include <string>

namespace ultr {

/// One result: a name from the table in metrics/metrics.h (where K stands for a number) and its
/// value.
struct MetricValue {
  std::string name;
  double value = 0;
};

}  // namespace ultr
