#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "report/html.h"

namespace ultr {

/// The page of an analysis: the numbers and words of its results by their paths in results.json;
/// for each object in them a table of its arrays of one length, row by row; and for each list of
/// objects a table of these. `config` is the resolved configuration in YAML.
Report analysis_report(const std::string& title, const nlohmann::ordered_json& results,
                       const std::string& config);

}  // namespace ultr
