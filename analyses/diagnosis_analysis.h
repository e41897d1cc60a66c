#pragma once

#include <vector>

#include "options/fields.h"

namespace ultr {

/// The analysis `diagnosis`: what diagnosis.json says of the training sessions of some data
/// (`ultr-run diagnose`). `data`: their types, a table that outlives it.
OptionType diagnosis_analysis_type(const std::vector<OptionType>& data);

}  // namespace ultr
