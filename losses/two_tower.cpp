#include "losses/two_tower.h"

#include "autograd/arithmetic.h"
#include "losses/pointwise.h"

namespace ultr {

TwoTowerLoss::TwoTowerLoss(ModelBuilder& build)
    : RankingLoss(build),
      examination_(build.parameter("examination", Domain::rank, "Bias logit of each rank, e.")) {}

Tensor TwoTowerLoss::loss(const Lists& lists) const {
  return pointwise_loss(scores(lists) + lists.logits(examination_), lists.targets(),
                        lists.segments());
}

std::optional<Examination> TwoTowerLoss::story(const Session& session) const {
  return Examination{.examination = session.always(),
                     .attraction = sigmoid(score(session) + examination_.logit(session))};
}

}  // namespace ultr
