#include "models/user_browsing.h"

namespace ultr {

UserBrowsingModel::UserBrowsingModel(ModelBuilder& build)
    : examination_(build.parameter("examination", Domain::rank_pair,
                                   "Examination of each rank given the last click's, θ.")),
      attraction_(build.parameter("attraction", Domain::document,
                                  "Attraction of each query-document pair, γ.")) {}

Examination UserBrowsingModel::story(const Session& s) const {
  return {.examination = examination_(s), .attraction = attraction_(s)};
}

}  // namespace ultr
