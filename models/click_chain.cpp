#include "models/click_chain.h"

namespace ultr {

ClickChainModel::ClickChainModel(ModelBuilder& build)
    : attraction_(build.parameter("attraction", Domain::document,
                                  "Attraction of each query-document pair, γ.")),
      after_skip_(build.parameter("after_skip", Domain::global,
                                  "Probability of going on after a skip, τ1.")),
      after_irrelevant_(
          build.parameter("after_irrelevant", Domain::global,
                          "Probability of going on after a click on an irrelevant document, τ2.")),
      after_relevant_(
          build.parameter("after_relevant", Domain::global,
                          "Probability of going on after a click on a relevant document, τ3.")) {}

Cascade ClickChainModel::story(const Session& s) const {
  const Prob attraction = attraction_(s);
  return {.attraction = attraction,
          .after_click = mix(attraction, after_relevant_(s), after_irrelevant_(s)),
          .after_skip = after_skip_(s)};
}

}  // namespace ultr
