#pragma once

#include <string>
#include <vector>

#include "report/table.h"
#include "studies/comparison/comparison.h"

/// The tables of a comparison and their words, which the terminal and the page share.
namespace ultr {

/// Returns the usual stars for a corrected p.
std::string significance_stars(double p);

/// Returns the mean of a metric, with its interval if it has one.
std::string mean_with_interval(const SeedSummary& measured);

/// Returns "lower is better" or "higher is better".
const char* metric_direction(bool higher_is_better);

/// Returns the verdict on configuration `c` in a metric: the name of the baseline, stars, "not
/// significant", "not tested" or "no result".
std::string comparison_verdict(const Comparison& comparison, const MetricComparison& metric,
                               std::size_t c);

/// Returns the order of the rows: the best configuration first, on the validation sessions if one
/// was selected there, else in this metric.
std::vector<std::size_t> row_order(const Comparison& comparison, const MetricComparison& metric);

/// Return the first columns of tables with one row per configuration, and their cells: the options
/// that differ or, if there is only one configuration, its name.
std::vector<std::string> configuration_columns(const Comparison& comparison);
std::vector<ReportCell> configuration_cells(const Comparison& comparison, std::size_t c);

/// Returns the table of a metric. Verdicts are marked: a tick if a configuration is better than the
/// baseline, a cross if it is worse.
ReportTable comparison_table(const Comparison& comparison, const MetricComparison& metric);

/// Returns a line that names the selected run and its values of the metrics that are compared;
/// empty if none was selected.
std::string comparison_selection(const Comparison& comparison);

/// Returns sentences that explain the numbers of the tables.
std::vector<std::string> comparison_explanations(const Comparison& comparison);

}  // namespace ultr
