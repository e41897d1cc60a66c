#pragma once

#include "experiment/registry.h"
#include "sources/target_options.h"

namespace ultr {

/// Returns the type `learn_from.type: simulated_clicks`: clicks of simulated users on lists that a
/// logging policy shows them (data/simulation/simulated_clicks.h). Three options choose what users
/// find relevant (simulated_relevance_types), in which order they see it (untrained_policy_types
/// and tower_policy) and how they click (independent_user_types, click_model_user and
/// fitted_click_model_user). Policy and relevance are fitted on the training lists. `models` and
/// `layers`: see target_types.
OptionType simulated_click_targets(const std::vector<OptionType>& models,
                                   const std::vector<OptionType>& layers,
                                   const MakeRegistry& make_registry);

}  // namespace ultr
