#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "report/table.h"
#include "studies/study_tuning.h"

/// Writes which options tuning has chosen.
namespace ultr {

/// Returns a table with a row per variant, and place along the axes `per`: the options that were
/// chosen and their result.
ReportTable tuning_table(const TuningStage& stage, const std::vector<TunedOptions>& tuned);

/// Returns a table with a row per candidate, the chosen ones marked.
ReportTable candidates_table(const TuningStage& stage, const std::vector<TunedOptions>& tuned);

/// Returns the section `tuning` of results.json: what was chosen, and the results of all
/// candidates by seed. It is a list if there are several stages.
nlohmann::ordered_json tuning_json(const std::vector<TuningStage>& stages,
                                   const std::vector<std::vector<TunedOptions>>& tuned);

/// Returns `what`, or "<what>, stage 1 of 2" if there are several stages.
std::string stage_title(std::string_view what, std::size_t stage, std::size_t stages);

}  // namespace ultr
