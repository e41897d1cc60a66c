#pragma once

#include <vector>

#include "experiment/registry.h"

namespace ultr {

/// Returns all types of targets: judged relevance, logged clicks and simulated clicks. `models` are
/// the click models that users may follow, `layers` the layers that policies may consist of. Both
/// tables must outlive the result and its options.
/// `make_registry` makes the registry that fitted click models are read with.
std::vector<OptionType> target_types(const std::vector<OptionType>& models,
                                     const std::vector<OptionType>& layers,
                                     const MakeRegistry& make_registry);

}  // namespace ultr
