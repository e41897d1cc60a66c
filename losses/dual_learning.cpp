#include "losses/dual_learning.h"

#include <cmath>

#include "autograd/arithmetic.h"
#include "autograd/gather.h"
#include "autograd/tape.h"
#include "losses/softmax.h"

namespace ultr {

Tensor dual_learning_weights(Tensor logits, Index first_documents, double largest) {
  // The softmax's denominator cancels: p_1 / p_k = e^(x_1 - x_k).
  const Tensor log_ratio = take(logits, first_documents) - logits;
  return stop_gradient(exp(minimum(log_ratio, logits.tape().constant(std::log(largest)))));
}

Tensor dual_learning_loss(Tensor relevance, Tensor examination, Tensor clicks, Segments lists,
                          Index first_documents, double largest_weight) {
  const auto weights = [&](Tensor logits) {
    return dual_learning_weights(logits, first_documents, largest_weight);
  };
  return softmax_loss(relevance, clicks, lists, weights(examination)) +
         softmax_loss(examination, clicks, lists, weights(relevance));
}

DualLearningLoss::DualLearningLoss(ModelBuilder& build)
    : RankingLoss(build),
      examination_(
          build.parameter("examination", Domain::rank, "Examination logit of each rank, e.")),
      largest_weight_(build.number("max_weight", usual_largest_weight, above(0),
                                   "Upper limit of click weights.")) {}

Tensor DualLearningLoss::loss(const Lists& lists) const {
  return dual_learning_loss(scores(lists), lists.logits(examination_), lists.targets(),
                            lists.segments(), lists.first_documents(), largest_weight_);
}

}  // namespace ultr
