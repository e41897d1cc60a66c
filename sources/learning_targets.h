#pragma once

#include <vector>

#include "experiment/registry.h"

namespace ultr {

/// All types of `data.learn_from`: judged relevance, logged clicks, simulated clicks. The options
/// of each are TargetOptions. `models` and `layers`: types of click models, of which users may be,
/// and of layers, of which policies may be; tables that outlive what is made.
std::vector<OptionType> target_types(const std::vector<OptionType>& models,
                                     const std::vector<OptionType>& layers,
                                     MakeRegistry make_registry);

}  // namespace ultr
