#pragma once

#include <filesystem>
#include <string>

namespace ultr {

/// Returns the address of a run's report for a page in this folder, relative to it, so that both
/// can be moved together; empty if the run has no report.
std::string report_link(const std::filesystem::path& run, const std::filesystem::path& folder);

}  // namespace ultr
