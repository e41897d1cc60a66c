#include "losses/lists.h"

#include "autograd/arithmetic.h"
#include "autograd/gather.h"
#include "autograd/slice.h"
#include "layers/inputs_without_noise.h"

namespace ultr {

Tensor Lists::in_list_order(const Logits& logits) const {
  if (!logits.per_document && logits.values.shape().single())
    return repeat(logits.values, session_.inputs().documents());
  return in_list_order(logits.per_document ? take(logits.values, *logits.per_document)
                                           : logits.values);
}

Tensor Lists::logits(const LogitParameter& parameter) const {
  return in_list_order(parameter.logits(session_));
}

Tensor Lists::frozen_logits(const LogitParameter& parameter) const {
  return stop_gradient(in_list_order(parameter.layer()->logits(InputsWithoutNoise(session_))));
}

Tensor Lists::in_list_order(Tensor by_rank) const { return take(by_rank, inputs_.order()); }

Tensor Lists::at_positions(std::span<const double> numbers) const {
  const Shape shape = Shape::vector(static_cast<std::int64_t>(numbers.size()));
  return take(tape().constant(shape, numbers), inputs_.positions());
}

}  // namespace ultr
