#pragma once

#include <string>
#include <vector>

#include "report/html.h"
#include "studies/comparison.h"

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

/// Returns charts of a metric over each option that configurations vary: lines over numbers, on a
/// log axis if the numbers are spaced like it, and rows for other values. Each run is a dot; for
/// each value, the best configuration that has it is emphasised, with its mean over seeds and their
/// 95% interval.
std::vector<ReportBlock> charts_by_option(const Comparison& comparison,
                                          const ConfigurationMetric& metric);

}  // namespace ultr
