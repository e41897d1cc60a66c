#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "data/simulation/simulated_user.h"
#include "experiment/registry.h"

namespace ultr {

/// The parameters of a simulated user's click model.
struct UserParameters {
  double eta = 1;  // P(examined): (1/k)^η at rank k; (1/(k-k'))^η if the last click was at k'
  double global = 0.9;  // probability of global parameters, such as λ
  /// Returns the logit of an entry of a layer over documents, or over documents at ranks, as
  /// `domain` says. `layer`: its number in the model, from 1.
  std::function<double(std::uint32_t layer, Domain domain, std::int64_t entry)> document;
};

/// Sets the logits of all layers of a model that was built for `size`, except those whose start the
/// configuration gives. Alternatives (Domain::alternative) become equally likely. Throws
/// ConfigError, beginning with `section`, if a layer does not have one logit per entry of its
/// domain.
void set_user_parameters(const TrainableModel& model, const ModelSetting& size,
                         const UserParameters& user, const std::string& section);

/// Returns log(p / (1-p)), with p clamped to [1e-30, 1 - 1e-6] so that the result is finite.
double finite_logit(double p);

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
