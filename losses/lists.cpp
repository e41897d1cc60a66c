#include "losses/lists.h"

#include "autograd/gather.h"
#include "autograd/slice.h"

namespace ultr {

Tensor Lists::logits(const LogitParameter& parameter) const {
  const Logits logits = parameter.logits(session_);
  if (!logits.per_document && logits.values.shape().single())
    return repeat(logits.values, session_.inputs().documents());
  const Tensor by_rank =
      logits.per_document ? take(logits.values, *logits.per_document) : logits.values;
  return in_list_order(by_rank);
}

Tensor Lists::in_list_order(Tensor by_rank) const { return take(by_rank, inputs_.order()); }

Tensor Lists::at_positions(std::span<const double> numbers) const {
  const Shape shape = Shape::vector(static_cast<std::int64_t>(numbers.size()));
  return take(tape().constant(shape, numbers), inputs_.positions());
}

}  // namespace ultr
