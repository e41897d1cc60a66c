#pragma once

#include <vector>

#include "report/html.h"
#include "studies/comparison/comparison.h"
#include "studies/comparison/configuration_metric.h"

namespace ultr {

/// Returns charts of a metric over each option that configurations vary: lines over numbers, on a
/// log axis if the numbers are spaced like it, and rows for other values. Each run is a dot; for
/// each value, the best configuration that has it is emphasised, with its mean over seeds and their
/// 95% interval. Each chart has limits of its own, so that an option that matters much does not
/// flatten the others.
std::vector<ReportBlock> charts_by_option(const Comparison& comparison,
                                          const ConfigurationMetric& metric);

}  // namespace ultr
