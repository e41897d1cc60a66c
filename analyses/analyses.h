#pragma once

#include <vector>

#include "experiment/registry.h"

namespace ultr {

/// Returns the types that analysis.type chooses from; the options of each are a Task. They may
/// refer to the registry's tables, which do not move, but not to the registry, which may.
std::vector<OptionType> analysis_types(const Registry& registry);

}  // namespace ultr
