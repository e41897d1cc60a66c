#include "models/document_rank_ctr.h"

namespace ultr {

DocumentRankCtrModel::DocumentRankCtrModel(ModelBuilder& build)
    : attraction_(build.parameter("attraction", Domain::document_rank,
                                  "Click rate of each query-document pair at each rank, γ.")) {}

Examination DocumentRankCtrModel::story(const Session& s) const {
  return {.examination = s.always(), .attraction = attraction_(s)};
}

}  // namespace ultr
