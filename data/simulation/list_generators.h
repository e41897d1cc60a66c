#pragma once

#include <vector>

#include "options/fields.h"

namespace ultr {

/// All list generators, by name; each is a ListGenerator.
const std::vector<OptionType>& list_generators();

}  // namespace ultr
