#include "models/dynamic_bayesian_network.h"

namespace ultr {

DynamicBayesianNetworkModel::DynamicBayesianNetworkModel(ModelBuilder& build)
    : attraction_(build.parameter("attraction", Domain::document,
                                  "Attraction of each query-document pair, γ.")),
      satisfaction_(build.parameter("satisfaction", Domain::document,
                                    "Satisfaction by each query-document pair after a click, σ.",
                                    ClickEffect::lowers)),
      continuation_(build.parameter("continuation", Domain::global,
                                    "Probability of going on unless satisfied, λ.")) {}

Cascade DynamicBayesianNetworkModel::story(const Session& s) const {
  const Prob attraction = attraction_(s), satisfaction = satisfaction_(s), go_on = continuation_(s);
  return {.attraction = attraction, .after_click = go_on * !satisfaction, .after_skip = go_on};
}

Prob DynamicBayesianNetworkModel::relevance(const Session& s) const {
  return attraction_(s) * satisfaction_(s);
}

}  // namespace ultr
