#include "models/global_ctr.h"

namespace ultr {

GlobalCtrModel::GlobalCtrModel(ModelBuilder& build)
    : click_(build.parameter("click", Domain::global, "Click rate of all documents, ρ.")) {}

Examination GlobalCtrModel::story(const Session& s) const {
  return {.examination = s.always(), .attraction = click_(s)};
}

}  // namespace ultr
