#pragma once

#include <vector>

#include "options/fields.h"

namespace ultr {

/// All generators of judged lists; the options of each are a ListGenerator.
const std::vector<OptionType>& list_generators();

}  // namespace ultr
