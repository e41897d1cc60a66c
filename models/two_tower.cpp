#include "models/two_tower.h"

namespace ultr {

TwoTowerModel::TwoTowerModel(ModelBuilder& build)
    : examination_(build.parameter("examination", Domain::rank, "Bias logit of each rank, θ.")),
      attraction_(build.parameter("attraction", Domain::document,
                                  "Relevance logit of each query-document pair, γ.")) {}

Examination TwoTowerModel::story(const Session& s) const {
  const Prob click = sigmoid(examination_.logit(s) + attraction_.logit(s));
  return {.examination = s.always(), .attraction = click};
}

}  // namespace ultr
