#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "report/table.h"
#include "studies/study_tuning.h"

/// Writes which options tuning has chosen.
namespace ultr {

/// Returns a table with a row per variant, and place along the axes `per`: the options that were
/// chosen and their result.
ReportTable tuning_table(const StudyTuning& tuning, const std::vector<TunedOptions>& tuned);

/// Returns a table with a row per candidate, the chosen ones marked.
ReportTable candidates_table(const StudyTuning& tuning, const std::vector<TunedOptions>& tuned);

/// Returns the section `tuning` of results.json: what was chosen, and the results of all
/// candidates by seed.
nlohmann::ordered_json tuning_json(const StudyTuning& tuning,
                                   const std::vector<TunedOptions>& tuned);

}  // namespace ultr
