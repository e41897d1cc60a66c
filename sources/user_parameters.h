#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "models/model_options.h"

namespace ultr {

/// What a simulated user's click model knows.
struct UserParameters {
  double eta = 1;  // P(examined): (1/k)^η at rank k; (1/(k-k'))^η if the last click was at k'
  double global = 0.9;  // probability of a parameter that is the same for all, such as λ
  /// Logit of an entry of a layer over documents, or documents at ranks, whose domain it is.
  /// `layer`: its number in the model, from 1.
  std::function<double(std::uint32_t layer, Domain domain, std::int64_t entry)> document;
};

/// Sets the logits of all layers of a model that was built for `size`, but of those whose start the
/// configuration gives; ways that a session may go are equally likely. Throws ConfigError,
/// beginning with `section`, if a layer has no logit for each entry of its domain.
void set_user_parameters(const TrainableModel& model, const ModelSetting& size,
                         const UserParameters& user, const std::string& section);

/// log(p / (1-p)), kept finite: of p cut to at least 1e-30 and at most 1 - 1e-6.
double finite_logit(double p);

}  // namespace ultr
