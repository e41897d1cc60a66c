#pragma once

#include <vector>

#include "options/fields.h"

namespace ultr {

/// The analysis `position_bias`: estimates position bias from the training sessions of a source of
/// data, as `ultr-run estimate-bias` does. Results, for each method that knows anything: `estimate`
/// by rank, relative to rank 1 (null: unknown), `low` and `high`, where there are intervals, and
/// `error`, the mean squared difference from the truth over the ranks that are known, where the
/// truth is; then `true` itself and the number of `sessions`. `formats`: the sources of data to
/// choose from, a table that outlives the type.
OptionType position_bias_type(const std::vector<OptionType>& formats);

}  // namespace ultr
