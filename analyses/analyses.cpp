#include "analyses/analyses.h"

#include "analyses/diagnosis_analysis.h"
#include "analyses/loss_landscape.h"
#include "analyses/policy_estimation.h"
#include "analyses/position_bias_analysis.h"

namespace ultr {

std::vector<OptionType> analysis_types(const Registry& registry) {
  return {
      diagnosis_analysis_type(registry.data()),
      loss_landscape_type(),
      policy_estimation_type(registry.data()),
      position_bias_type(registry.data()),
  };
}

}  // namespace ultr
