#include "losses/position_based.h"

#include "autograd/arithmetic.h"
#include "autograd/logspace.h"
#include "autograd/segments.h"

namespace ultr {

Tensor position_based_loss(Tensor relevance, Tensor examination, Tensor targets, Segments lists) {
  const Tensor click = log_sigmoid(examination) + log_sigmoid(relevance);
  const Tensor none = log_not_both(examination, relevance);
  return -segment_sum(targets * click + (1 - targets) * none, lists);
}

PositionBasedLoss::PositionBasedLoss(ModelBuilder& build)
    : RankingLoss(build),
      examination_(
          build.parameter("examination", Domain::rank, "Examination logit of each rank, e.")) {}

Tensor PositionBasedLoss::loss(const Lists& lists) const {
  return position_based_loss(scores(lists), lists.logits(examination_), lists.targets(),
                             lists.segments());
}

std::optional<Examination> PositionBasedLoss::story(const Session& session) const {
  return Examination{.examination = examination_(session), .attraction = relevance(session)};
}

}  // namespace ultr
