#pragma once

#include <vector>

#include "options/fields.h"

namespace ultr {

/// Returns the analysis `diagnosis`, which is the command `diagnose` too: its results are the
/// contents of diagnosis.json for the training sessions of a source of data. `data` has the sources
/// to choose from, and must outlive the type.
OptionType diagnosis_analysis_type(const std::vector<OptionType>& data);

}  // namespace ultr
