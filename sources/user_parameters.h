#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "dsl/model_options.h"

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

}  // namespace ultr
