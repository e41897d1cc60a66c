#include "experiment/analyses.h"

#include "experiment/loss_landscape.h"
#include "experiment/position_bias_analysis.h"

namespace ultr {

std::vector<OptionType> analysis_types(const Registry& registry) {
  return {
      option_type<LossLandscape>("loss_landscape",
                                 "The loss over all relevance estimates of a few documents."),
      {"position_bias", "Position bias as the methods of estimate-bias see it.",
       [&formats = registry.data()]() -> std::unique_ptr<Options> {
         return std::make_unique<PositionBiasAnalysis>(formats);
       }},
  };
}

}  // namespace ultr
