#pragma once

#include <span>

#include "data/features/feature_lists.h"

namespace ultr {

/// Returns the lists with only the documents `kept`: increasing indices, 0-based over all lists.
/// Lists without a kept document are dropped.
FeatureLists select_documents(const FeatureLists& lists, std::span<const std::size_t> kept);

}  // namespace ultr
