#pragma once

#include <vector>

#include "options/fields.h"

namespace ultr {

/// Returns the analysis `position_bias`, which is the command `estimate-bias` too: it estimates
/// position bias from the training sessions of a source of data.
///
/// Results are `sessions`, their number, and an object for each method that knows anything:
///
///     estimate     by rank, relative to rank 1; null: unknown
///     low, high    bounds of its intervals, if it has any
///     error        mean squared difference from the truth over the known ranks, if the truth is
///                  known; `true` has it
///
/// `data` has the sources to choose from, and must outlive the type.
OptionType position_bias_type(const std::vector<OptionType>& data);

}  // namespace ultr
