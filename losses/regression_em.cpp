#include "losses/regression_em.h"

#include "autograd/arithmetic.h"
#include "autograd/logspace.h"
#include "autograd/segments.h"

namespace ultr {

Tensor regression_em_loss(Tensor relevance, Tensor examination, Tensor clicks, Segments lists) {
  const auto cross_entropy = [&](Tensor x, Tensor other) {
    return (1 - clicks) * posterior_cross_entropy(x, x, other) - clicks * log_sigmoid(x);
  };
  return segment_sum(cross_entropy(examination, relevance) + cross_entropy(relevance, examination),
                     lists);
}

RegressionEmLoss::RegressionEmLoss(ModelBuilder& build)
    : RankingLoss(build),
      examination_(
          build.parameter("examination", Domain::rank, "Examination logit of each rank, e.")) {}

Tensor RegressionEmLoss::loss(const Lists& lists) const {
  return regression_em_loss(scores(lists), lists.logits(examination_), lists.targets(),
                            lists.segments());
}

std::optional<Examination> RegressionEmLoss::story(const Session& session) const {
  return Examination{.examination = examination_(session), .attraction = relevance(session)};
}

}  // namespace ultr
