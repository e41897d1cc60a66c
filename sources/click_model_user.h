#pragma once

#include "data/simulation/simulated_user.h"
#include "experiment/registry.h"

namespace ultr {

/// Users who follow a click model, each a SimulatedUserOptions. A document's relevance s gives the
/// probability attractiveness(s, ε) to each parameter of query-document pairs (times
/// position_bias(k, η) to one of pairs at ranks). All others are
///
///     click_model           as the options give them (UserParameters)
///     fitted_click_model    those of a model that was trained before, on any log: of the run in
///     the
///                           folder `run`. Its own parameters of pairs do not matter. It must know
///                           as many positions as are shown, and have a logit for each entry.
///
/// `models`: the types of click models to choose from, a table that outlives the options.
OptionType click_model_user(const std::vector<OptionType>& models);
OptionType fitted_click_model_user(const std::vector<OptionType>& models,
                                   MakeRegistry make_registry);

}  // namespace ultr
