#pragma once

#include <vector>

#include "options/fields.h"

namespace ultr {

/// All types of compression, with their names in a configuration.
const std::vector<OptionType>& compression_types();

}  // namespace ultr
