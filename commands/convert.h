#pragma once

#include <vector>

#include "experiment/registry.h"

namespace ultr {

/// Returns the click logs that `ultr-run convert` reads: those that no feature format reads, and
/// those that may have features themselves.
std::vector<OptionType> click_log_conversions(const Registry& registry);

/// Returns the feature formats that `ultr-run convert` reads: those that are not click logs.
std::vector<OptionType> feature_conversions(const Registry& registry);

}  // namespace ultr
