#include "losses/distill.h"

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/gather.h"
#include "autograd/ops/segments.h"
#include "autograd/tape/tape.h"
#include "losses/logged_order.h"

namespace ultr {
namespace {

/// Returns 1 for each document.
Tensor ones(const Lists& lists) {
  return repeat(lists.tape().constant(1), lists.session().inputs().documents());
}

}  // namespace

Tensor softmax_distillation(Tensor scores, Tensor teacher, Segments lists, double temperature) {
  return temperature * temperature *
         attention_rank_loss(scores / temperature, teacher / temperature, lists);
}

Tensor softmax_distillation_curvature(Tensor scores, Segments lists, double temperature) {
  const Tensor log_p = segment_log_softmax(scores / temperature, lists);
  return -2 * exp(log_p) * expm1(log_p);
}

Tensor squared_distillation(Tensor scores, Tensor teacher, Segments lists) {
  return 0.5 * segment_sum(square(scores - teacher), lists);
}

Tensor margin_distillation(Tensor scores, Tensor teacher, Segments lists, Index list_numbers,
                           Tensor per_document) {
  const Tensor difference = scores - teacher;
  const Tensor mean = segment_sum(difference, lists) / segment_sum(per_document, lists);
  return 0.5 * segment_sum(square(difference - take(mean, list_numbers)), lists);
}

DistillLoss::DistillLoss(ModelBuilder& build)
    : RankingLoss(build),
      teacher_(build.file("teacher", "Folder of the trained run whose relevance is learned.")),
      base_(build.word("base", "softmax", {"softmax", "squared", "margins"},
                       "Cross-entropy of the distributions over a list, squared differences of "
                       "scores, or squared differences of margins between documents.")),
      temperature_(build.number("temperature", 1, above(0),
                                "Temperature of softmax's distributions; higher ones are more "
                                "even.")) {}

Tensor DistillLoss::loss(const Lists& lists) const {
  const Tensor r = scores(lists), teacher = lists.targets();
  const Segments segments = lists.segments();
  if (base_ == "softmax") return softmax_distillation(r, teacher, segments, temperature_);
  if (base_ == "squared") return squared_distillation(r, teacher, segments);
  return margin_distillation(r, teacher, segments, lists.list_numbers(), ones(lists));
}

std::optional<Tensor> DistillLoss::score_curvature(const Lists& lists) const {
  if (base_ != "softmax") return ones(lists);
  return softmax_distillation_curvature(scores(lists), lists.segments(), temperature_);
}

}  // namespace ultr
