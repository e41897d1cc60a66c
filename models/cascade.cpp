#include "models/cascade.h"

namespace ultr {

CascadeClickModel::CascadeClickModel(ModelBuilder& build)
    : attraction_(build.parameter("attraction", Domain::document,
                                  "Attraction of each query-document pair, γ.")) {}

Cascade CascadeClickModel::story(const Session& s) const {
  return {.attraction = attraction_(s), .after_click = s.never(), .after_skip = s.always()};
}

}  // namespace ultr
