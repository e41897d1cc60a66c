#pragma once

#include <map>
#include <string>
#include <vector>

#include "data/shard.h"
#include "models/click_program.h"
#include "models/models.h"

namespace ultr::testing {

/// Builds a model of a registered type, with options in YAML.
TrainableModel build_model(const std::string& type, const ModelSetting& setting,
                           const std::string& options = "{}");
/// Builds a model of a type that a test makes, with the defaults of its options.
TrainableModel build_model(const ModelType& type, const ModelSetting& setting);

/// Sets options from YAML, as a configuration would.
void configure(Options& options, const std::string& yaml);

/// The parameter called `name`. Throws if there is none.
Parameter& parameter_called(const TrainableModel& model, const std::string& name);

/// σ of the logit that a parameter has for an entry of its domain, its baseline (if it has one)
/// included, in double precision.
double probability_of(const TrainableModel& model, const std::string& name, std::size_t entry);

/// Sets every number of each parameter, baselines included, at random in [low, high].
void randomise(const TrainableModel& model, double low, double high, std::uint64_t seed);

/// A log of one list for each of the 2^K click vectors over the given rows, the vector with number
/// v clicking rank k if bit k of v is set.
SessionLog all_click_vectors(const std::vector<std::uint32_t>& rows);

/// All sessions of a log (at most shard_sessions) in one shard.
Shard pack_all(const SessionLog& log);

/// d loss / d logits by parameter name, for every parameter, from a loss program that has run
/// backward: entry i belongs to row i.
std::map<std::string, std::vector<double>> gradients_of(const TrainableModel& model,
                                                        const ClickProgram& program);

}  // namespace ultr::testing
