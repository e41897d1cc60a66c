#pragma once

#include <memory>

#include "data/simulation/simulated_user.h"
#include "experiment/registry.h"

namespace ultr {

/// Returns users who follow a click model. Session n has the clicks that ClickSampler draws for
/// number n, whatever block it is in.
SimulatedUsers users_of_model(std::shared_ptr<const TrainableModel> model, std::uint64_t seed);

/// Return the types of users who follow a click model (SimulatedUserOptions). The relevance s of a
/// document determines the parameters over query-document pairs: they get the probability
/// attractiveness(s, ε), times position_bias(k, η) for pairs at ranks. All other parameters are
///
///     click_model           given by the options (UserParameters)
///     fitted_click_model    those of a trained model, from the run folder `run`. It may be trained
///                           on any log; its own parameters of pairs are ignored. It must know at
///                           least as many positions as are shown and have one logit per entry.
///
/// `models` are the types of click models to choose from. The table must outlive the options.
OptionType click_model_user(const std::vector<OptionType>& models);
OptionType fitted_click_model_user(const std::vector<OptionType>& models,
                                   const MakeRegistry& make_registry);

}  // namespace ultr
