#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "report/html.h"

namespace ultr {

/// Returns the page of an analysis. One table has the numbers and texts of its results, by their
/// paths in results.json. Each object's arrays of equal length make a table with one column per
/// array; each list of objects makes a table with one row per object. `config` is the resolved
/// configuration in YAML.
Report analysis_report(const std::string& title, const nlohmann::ordered_json& results,
                       const std::string& config);

}  // namespace ultr
