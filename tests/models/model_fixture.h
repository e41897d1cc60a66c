#pragma once

#include <string>

#include "models/models.h"
#include "testing/model_inputs.h"

namespace ultr::testing {

/// Builds a model of a registered type with the defaults of its options.
TrainableModel build_model(const std::string& type, const ModelSetting& setting);

/// The options of a registered type of model, from YAML.
ModelOptions model_options(const std::string& type, const std::string& yaml = "{}");

/// Sets options from YAML, as a configuration would.
void configure(Options& options, const std::string& yaml);

/// The parameter called `name`. Throws if there is none.
Parameter& parameter_called(const TrainableModel& model, const std::string& name);

/// σ of the logit that a parameter has for an entry of its domain, its baseline (if it has one)
/// included, in double precision.
double probability_of(const TrainableModel& model, const std::string& name, std::size_t entry);

}  // namespace ultr::testing
