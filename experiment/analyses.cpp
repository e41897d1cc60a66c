#include "experiment/analyses.h"

#include "experiment/diagnosis_analysis.h"

namespace ultr {

std::vector<OptionType> analysis_types(const Registry& registry) {
  return {diagnosis_analysis_type(registry.data())};
}

}  // namespace ultr
