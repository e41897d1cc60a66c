#pragma once

#include <vector>

#include "options/fields.h"

namespace ultr {

/// All types of compression, by the name they have in a configuration.
const std::vector<OptionType>& compression_types();

}  // namespace ultr
