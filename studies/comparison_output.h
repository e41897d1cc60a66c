#pragma once

#include <string>

#include "report/html.h"
#include "studies/comparison.h"

/// A comparison to look at and to read by programs.
namespace ultr {

/// A table a metric for the terminal, then the notes.
std::string comparison_text(const Comparison& comparison);

/// comparison.html: for each metric a plot of the configurations with their intervals and seeds,
/// and the table; then the runs.
Report comparison_report(const Comparison& comparison);

/// comparison.csv: a row for each metric of each configuration, with its differing options. Numbers
/// that there are none of are empty.
std::string comparison_csv(const Comparison& comparison);

/// comparison.json: all that a comparison knows. Numbers that there are none of are null.
std::string comparison_json(const Comparison& comparison);

/// Writes comparison.html, .csv and .json to a folder that exists, over what may be there.
void write_comparison(const Comparison& comparison, const std::filesystem::path& folder);

}  // namespace ultr
