#pragma once

#include <vector>

#include "options/fields.h"

namespace ultr {

/// Returns the formats that `ultr-run convert` reads: the feature formats, and click logs without
/// features.
const std::vector<OptionType>& conversion_formats();

}  // namespace ultr
