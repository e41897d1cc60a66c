#include "models/document_ctr.h"

namespace ultr {

DocumentCtrModel::DocumentCtrModel(ModelBuilder& build)
    : attraction_(build.parameter("attraction", Domain::document,
                                  "Click rate of each query-document pair, γ.")) {}

Examination DocumentCtrModel::story(const Session& s) const {
  return {.examination = s.always(), .attraction = attraction_(s)};
}

}  // namespace ultr
