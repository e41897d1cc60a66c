#include "models/simplified_dbn.h"

namespace ultr {

SimplifiedDbnModel::SimplifiedDbnModel(ModelBuilder& build)
    : attraction_(build.parameter("attraction", Domain::document,
                                  "Attraction of each query-document pair, γ.")),
      satisfaction_(build.parameter("satisfaction", Domain::document,
                                    "Satisfaction by each query-document pair after a click, σ.",
                                    ClickEffect::lowers)) {}

Cascade SimplifiedDbnModel::story(const Session& s) const {
  return {.attraction = attraction_(s), .after_click = !satisfaction_(s), .after_skip = s.always()};
}

Prob SimplifiedDbnModel::relevance(const Session& s) const {
  return attraction_(s) * satisfaction_(s);
}

}  // namespace ultr
