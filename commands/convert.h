#pragma once

#include <vector>

#include "experiment/registry.h"

namespace ultr {

/// Returns the click logs that `ultr-run convert` reads, without features, beside the feature
/// formats.
std::vector<OptionType> click_log_conversions(const Registry& registry);

}  // namespace ultr
