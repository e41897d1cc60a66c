#pragma once

#include <string>
#include <vector>

#include "data/simulation/made_up_signals.h"
#include "experiment/registry.h"
#include "models/models.h"
#include "testing/model_inputs.h"

namespace ultr::testing {

/// A registry of everything in ultr.
const Registry& registry();

/// Builds a model of a registered type with options in YAML.
TrainableModel build_model(const std::string& type, const ModelSetting& setting,
                           const std::string& options = "{}");

/// Returns the registered models that read clicks alone, so that simulated sessions suffice.
std::vector<ModelType> types_without_signals();

/// Sets options from YAML, as a configuration does.
void configure(Options& options, const std::string& yaml);

/// Returns the parameter called `name`. Throws if there is none.
Parameter& parameter_called(const TrainableModel& model, const std::string& name);

/// Returns σ of the logit that a parameter has for an entry of its domain, including its baseline
/// if it has one, in double precision.
double probability_of(const TrainableModel& model, const std::string& name, std::size_t entry);

}  // namespace ultr::testing
