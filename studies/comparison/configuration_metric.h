#pragma once

#include <string>
#include <vector>

#include "studies/comparison/comparison.h"

namespace ultr {

/// A metric of every configuration of a comparison.
struct ConfigurationMetric {
  std::string metric;  // empty if there is none
  bool higher_is_better = false;
  std::vector<SeedSummary> each{};  // one per configuration

  /// Returns the numbers of the configurations by their means; those without results are last.
  std::vector<std::size_t> best_first() const;
};

/// Returns a metric of a comparison's configurations.
ConfigurationMetric metric_of(const Comparison& comparison, const std::string& metric);

/// Returns the metric by which configurations are chosen: that on validation sessions which
/// selected one of them or, if none was selected, the first that is compared.
ConfigurationMetric deciding_metric(const Comparison& comparison);

}  // namespace ultr
