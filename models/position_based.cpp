#include "models/position_based.h"

namespace ultr {

PositionBasedModel::PositionBasedModel(ModelBuilder& build)
    : examination_(build.parameter("examination", Domain::rank, "Examination of each rank, θ.")),
      attraction_(build.parameter("attraction", Domain::document,
                                  "Attraction of each query-document pair, γ.")) {}

Examination PositionBasedModel::story(const Session& s) const {
  return {.examination = examination_(s), .attraction = attraction_(s)};
}

}  // namespace ultr
