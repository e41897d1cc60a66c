#include "models/rank_ctr.h"

namespace ultr {

RankCtrModel::RankCtrModel(ModelBuilder& build)
    : examination_(build.parameter("examination", Domain::rank, "Click rate of each rank, θ.")) {}

Examination RankCtrModel::story(const Session& s) const {
  return {.examination = examination_(s), .attraction = s.always()};
}

}  // namespace ultr
