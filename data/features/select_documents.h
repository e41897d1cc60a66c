#pragma once

#include <span>

#include "data/features/feature_lists.h"

namespace ultr {

/// The documents with the numbers `kept`, counted over all lists and rising, in the lists that they
/// are in; a list that keeps none is left out.
FeatureLists select_documents(const FeatureLists& lists, std::span<const std::size_t> kept);

}  // namespace ultr
