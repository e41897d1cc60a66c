#include "analyses/analyses.h"

namespace ultr {

std::vector<OptionType> analysis_types(const Registry& registry) {
  return {
      diagnosis_analysis_type(registry.data()),
      lambdamart_type(registry.data(), registry.models(), registry.optimizers()),
      loss_landscape_type(),
      off_policy_type(registry.data()),
      policy_estimation_type(registry.data(), registry.layers()),
      position_bias_type(registry.data()),
      time_to_loss_type(registry.data(), registry.models(), registry.optimizers()),
  };
}

}  // namespace ultr
