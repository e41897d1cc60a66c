#include "models/dependent_click.h"

namespace ultr {

DependentClickModel::DependentClickModel(ModelBuilder& build)
    : attraction_(build.parameter("attraction", Domain::document,
                                  "Attraction of each query-document pair, γ.")),
      continuation_(build.parameter("continuation", Domain::rank,
                                    "Probability of going on after a click at each rank, λ.")) {}

Cascade DependentClickModel::story(const Session& s) const {
  return {.attraction = attraction_(s), .after_click = continuation_(s), .after_skip = s.always()};
}

}  // namespace ultr
