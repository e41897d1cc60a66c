#include "experiment/analyses.h"

#include "experiment/diagnosis_analysis.h"
#include "experiment/policy_estimation.h"

namespace ultr {

std::vector<OptionType> analysis_types(const Registry& registry) {
  return {diagnosis_analysis_type(registry.data()), policy_estimation_type(registry.data())};
}

}  // namespace ultr
