#pragma once

#include <vector>

#include "experiment/registry.h"

namespace ultr {

/// The types that analysis.type chooses from; the options of each are an Analysis. They may refer
/// to the registry's tables, which stay where they are, but not to the registry, which may be
/// moved.
std::vector<OptionType> analysis_types(const Registry& registry);

}  // namespace ultr
