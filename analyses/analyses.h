#pragma once

#include <vector>

#include "experiment/registry.h"

/// The analyses of a configuration: each is a Task in a file of its own. `data` has the sources of
/// data to choose from, and must outlive the type.
namespace ultr {

/// Returns the types that analysis.type chooses from; the options of each are a Task. They may
/// refer to the registry's tables, which do not move, but not to the registry, which may.
std::vector<OptionType> analysis_types(const Registry& registry);

/// Says whether training sessions tell position bias from relevance; the command `diagnose` too.
OptionType diagnosis_analysis_type(const std::vector<OptionType>& data);
/// Trains LambdaMART on labels, or on clicks by way of a click model, and ranks judged lists.
OptionType lambdamart_type(const std::vector<OptionType>& data,
                           const std::vector<OptionType>& models,
                           const std::vector<OptionType>& optimizers);
/// Computes the loss of documents that share one relevance estimate, as a function of the estimate.
OptionType loss_landscape_type();
/// Estimates the clicks that a policy would get from the log of another.
OptionType off_policy_type(const std::vector<OptionType>& data);
/// Measures how well a ranker reproduces the order in which a log shows documents.
OptionType policy_estimation_type(const std::vector<OptionType>& data,
                                  const std::vector<OptionType>& layers);
/// Estimates position bias from training sessions; the command `estimate-bias` too.
OptionType position_bias_type(const std::vector<OptionType>& data);
/// Races two ways to fit a click model from the same start to the same loss.
OptionType time_to_loss_type(const std::vector<OptionType>& data,
                             const std::vector<OptionType>& models,
                             const std::vector<OptionType>& optimizers);

}  // namespace ultr
