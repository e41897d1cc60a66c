#include "experiment/analyses.h"

#include "experiment/diagnosis_analysis.h"
#include "experiment/loss_landscape.h"
#include "experiment/policy_estimation.h"
#include "experiment/position_bias_analysis.h"

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
