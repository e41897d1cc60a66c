#pragma once

#include <filesystem>

#include "report/html.h"
#include "studies/comparison/comparison.h"

namespace ultr {

/// Returns comparison.html. If a configuration was selected on validation sessions, it begins with
/// the configurations in their order there and charts of that metric over each option. Then it has,
/// for each metric, a plot of the configurations with their intervals and seeds, and the table;
/// then the runs. Rows of configurations and runs link to reports, as seen from the page's folder.
Report comparison_report(const Comparison& comparison, const std::filesystem::path& folder);

}  // namespace ultr
